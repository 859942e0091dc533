import { AgentError } from '../core/error.ts';
import type { SandboxMode, SandboxProvider } from '../core/sandbox.ts';

/**
 * Where processes of skills run on this machine, loaded with the first of them: contained if it can, else without
 * containment or, where that is required, not at all.
 */
export function openSandboxes(mode: SandboxMode): SandboxProvider {
  let chosen: Promise<SandboxProvider> | undefined;
  const choose = (): Promise<SandboxProvider> => (chosen ??= chooseSandboxes(mode));
  return {
    contains: async () => (await choose()).contains(),
    open: async (grant) => (await choose()).open(grant),
  };
}

async function chooseSandboxes(mode: SandboxMode): Promise<SandboxProvider> {
  const containment = await (await import('../sandboxes/containment.ts')).findContainment();
  if (containment.kind !== 'none') return (await import('../sandboxes/process.ts')).createProcessSandboxes();
  if (mode === 'auto') return (await import('../sandboxes/plain.ts')).createPlainSandboxes();
  throw new AgentError('sandbox.unavailable', `A sandbox is required. ${containment.reason}`, {
    hint: containment.hint,
  });
}
