import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { reasonOf } from '../core/error.ts';
import { systemCode } from '../files/file-fault.ts';

/** The bytes of a file, or what keeps them from being read, as the end of a sentence about it. */
export type SmallFile = { readonly bytes: Buffer } | { readonly fault: string };

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
