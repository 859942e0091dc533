import type { SandboxMode, SandboxProvider } from '../core/sandbox.ts';

/** Where processes of skills run on this machine; loaded with the first of them. */
export function openSandboxes(_mode: SandboxMode): SandboxProvider {
  return {
    contains: async () => false,
    open: async (grant) => (await import('../sandboxes/plain.ts')).createPlainSandboxes().open(grant),
  };
}
