import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';

const chunk = Buffer.allocUnsafeSlow(65_536);

/** The hash of the bytes of a file and of nothing else: `sha256:` and 64 digits. Throws what the file system throws. */
export function hashFile(file: string | Buffer): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const sum = createHash('sha256');
    for (let count = readSync(handle, chunk); count > 0; count = readSync(handle, chunk)) {
      sum.update(chunk.subarray(0, count));
    }
    return `sha256:${sum.digest('hex')}`;
  } finally {
    closeSync(handle);
  }
}
