import type { SandboxProvider } from '../core/sandbox.ts';
import type { Lender } from './lender.ts';

/** Where processes of skills and servers run: what the options give, or what this machine has. */
export function sandboxesOf({ options, ports, setUp }: Lender): SandboxProvider {
  return options.sandboxes ?? ports.openSandboxes(options.sandbox ?? setUp.settings.sandbox ?? 'auto');
}
