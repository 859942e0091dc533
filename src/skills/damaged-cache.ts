import { crc32 } from 'node:zlib';
import { readOwnFile } from './own-file.ts';

/** Whether a file of knowledge can never be read again: cut off, overwritten, or writable by others. Never throws; what cannot be opened is left alone. */
export function isDamagedCache(file: string): boolean {
  try {
    const { bytes } = readOwnFile(file);
    const end = bytes.indexOf('\n');
    const seal = /^skilled-cache \d+ [0-9a-f]{64} (\d+) (\d+)$/.exec(
      bytes.toString('latin1', 0, Math.max(0, end)),
    );
    const body = bytes.subarray(end + 1);
    return Number(seal?.[1] ?? -1) !== body.length || Number(seal?.[2]) !== crc32(body);
  } catch {
    return false; // gone meanwhile, or not ours
  }
}
