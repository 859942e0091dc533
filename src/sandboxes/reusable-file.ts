import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes that programs read from a handle; nobody finds them by a name. For Linux, and for nothing that is secret. */
export interface ReusableFile {
  /** A handle of its own, read from the beginning; whoever opens it closes it. */
  open(): number;
}

/** Keeps bytes for handles until this process ends. */
export function createReusableFile(bytes: Uint8Array): ReusableFile {
  const path = join(tmpdir(), `.skilled-${randomUUID()}`);
  const kept = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    for (let at = 0; at < bytes.length;) at += writeSync(kept, bytes, at);
  } catch (thrown) {
    closeSync(kept);
    throw thrown;
  }
  return { open: () => openSync(`/proc/self/fd/${kept}`, 'r') };
}
