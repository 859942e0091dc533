import { AgentError } from '../core/error.ts';
import type { CodeRunner } from '../core/code.ts';
import type { SandboxProvider } from '../core/sandbox.ts';

/** Placeholder. */
export function createCodeRunner(_sandboxes: SandboxProvider): CodeRunner {
  return {
    run: () => Promise.reject(new AgentError('sandbox.unavailable', 'Not yet.')),
    close: () => Promise.resolve(),
  };
}
