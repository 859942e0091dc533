import type { SandboxProvider } from '../core/sandbox.ts';

/** Where processes of skills run on this machine: without containment, which is loaded with the first of them. */
export const plainSandboxes: SandboxProvider = {
  contains: false,
  open: async (grant) => (await import('../sandboxes/plain.ts')).createPlainSandboxes().open(grant),
};
