import type { Grant, SandboxLimits } from '../core/sandbox.ts';

const mebibyte = 1 << 20;

/** What the processes of a command may use together where the grant says nothing. */
const defaultLimits: SandboxLimits = {
  memoryBytes: 1024 * mebibyte,
  processes: 256,
  diskBytes: 1024 * mebibyte,
};

/** Bytes of the shared memory that programs find in `/dev/shm`. */
export const sharedMemoryBytes = 64 * mebibyte;

/** The limits of a grant, those that it leaves out included. */
export function limitsOf({ limits }: Pick<Grant, 'limits'>): SandboxLimits {
  return { ...defaultLimits, ...limits };
}

/** Bytes that fit into the private temporary folder: it is memory, and what is full of files has to have room to work. */
export function temporaryBytes({ memoryBytes, diskBytes }: SandboxLimits): number {
  return Math.min(diskBytes, Math.ceil(memoryBytes / 2));
}
