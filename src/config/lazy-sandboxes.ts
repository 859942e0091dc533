import { join } from 'node:path';
import { AgentError } from '../core/error.ts';
import type { SandboxMode, SandboxProvider } from '../core/sandbox.ts';

/**
 * Where processes of skills run on this machine, loaded with the first of them: contained if it can, else without
 * containment or, where that is required, not at all. Rejected changes go into a folder of the cache where a workspace has
 * none for them.
 */
export function openSandboxes(mode: SandboxMode, cache?: string): SandboxProvider {
  let chosen: Promise<SandboxProvider> | undefined;
  const choose = (): Promise<SandboxProvider> => (chosen ??= chooseSandboxes(mode, cache));
  return {
    contains: async () => (await choose()).contains(),
    open: async (grant) => (await choose()).open(grant),
  };
}

async function chooseSandboxes(mode: SandboxMode, cache: string | undefined): Promise<SandboxProvider> {
  const containment = await (await import('../sandboxes/containment.ts')).findContainment();
  if (containment.kind !== 'none') {
    const { createProcessSandboxes } = await import('../sandboxes/process.ts');
    return createProcessSandboxes(cache === undefined ? {} : { rejected: join(cache, 'rejected') });
  }
  if (mode === 'auto') return (await import('../sandboxes/plain.ts')).createPlainSandboxes();
  throw new AgentError('sandbox.unavailable', `A sandbox is required. ${containment.reason}`, {
    hint: containment.hint,
  });
}
