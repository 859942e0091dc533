import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../core/index.ts';
import { systemCode } from '../files/index.ts';

/** The bytes of a file, or what keeps them from being read, as the end of a sentence about it. */
type SmallFile = { readonly bytes: Buffer } | { readonly fault: string };

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Reads a regular file of at most so many bytes, through no link; undefined where there is none. Never throws. */
export function readSmallFile(file: string, most: number): SmallFile | undefined {
  try {
    const handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) return { fault: stats.isDirectory() ? 'is a folder' : 'is no regular file' };
      if (stats.size > most) return { fault: `has more than ${most.toLocaleString('en')} bytes` };
      return { bytes: readFileSync(handle) };
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') return { fault: 'is a link' };
    if (code === 'ENXIO') return { fault: 'is no regular file' };
    return { fault: `cannot be read: ${code ?? reasonOf(thrown)}` };
  }
}

/** Puts a text in the place of a file, whole or not at all, and only returns once the disk has it. */
export function writeWholeFile(file: string, text: string): void {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(beside, text, { flag: 'wx', flush: true });
    renameSync(beside, file);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
  syncFolder(dirname(file));
}

/** Waits until the disk has the names in a folder. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // it cannot, and need not
  syncFile(folder);
}

/** Waits until the disk has the bytes of a file. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

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
