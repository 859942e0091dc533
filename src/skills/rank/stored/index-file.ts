import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { checksumOf } from '../../cache/own-file.ts';
import type { BuiltIndex } from './build-index.ts';
import { StoredIndex, type IndexHead } from './stored-index.ts';

// The file has a first line, the parts of the head, and then the bytes of the index, each part at a multiple
// of eight. The first line describes the parts, and the head has one checksum; the bytes have their own.
const firstLine = 1024;
const format = 'skilled-ranking 1';
const block = 4 * 2 ** 20;

/** The parts of the head, in the order of the file. */
const parts = (head: IndexHead): readonly (Uint8Array | Uint32Array | Float64Array)[] => [
  head.terms.starts,
  head.terms.cells,
  head.terms.text,
  head.keys.starts,
  head.keys.cells,
  head.keys.text,
  head.shares,
  head.lengths,
  head.records,
  head.postings,
];

/**
 * Opens the index in a file and reads its head. Returns undefined if the file is missing, was written with
 * another key or by another user, or is damaged. Never throws.
 */
export function openIndexFile(file: string, key: string): StoredIndex | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = readHead(handle, key);
    if (opened === undefined) closeSync(handle);
    return opened;
  } catch {
    if (handle !== undefined) closeSync(handle);
    return undefined; // There is no such file yet, or it cannot be read.
  }
}

function readHead(handle: number, key: string): StoredIndex | undefined {
  const stats = fstatSync(handle);
  const isOurs =
    process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
  if (!stats.isFile() || !isOurs || stats.size < firstLine) return undefined;
  const line = readBytes(handle, 0, firstLine).toString('latin1').trimEnd();
  const [name, ownKey, sizes = '', sum, total] = line.split('|');
  if (name !== format || ownKey !== keyHash(key) || Number(total) !== stats.size) return undefined;
  const lengths = sizes.split(' ').map(Number);
  const headSize = lengths.reduce((all, length) => all + padded(length), 0);
  const bytes = readBytes(handle, firstLine, headSize);
  if (checksumOf(bytes) !== Number(sum)) return undefined;
  let at = 0;
  const next = (): Uint8Array => {
    const length = lengths.shift() ?? 0;
    const part = bytes.subarray(at, at + length);
    at += padded(length);
    return part;
  };
  const numbers = (): Uint32Array => {
    const { buffer, byteOffset, length } = next();
    return new Uint32Array(buffer, byteOffset, length / 4);
  };
  const table = (): IndexHead['terms'] => ({ starts: numbers(), cells: numbers(), text: next() });
  const [terms, keys] = [table(), table()];
  const shares = next();
  const head = {
    terms,
    keys,
    shares: new Float64Array(shares.buffer, shares.byteOffset, shares.length / 8),
    lengths: numbers(),
    records: numbers(),
    postings: numbers(),
  };
  const start = firstLine + headSize;
  return new StoredIndex(
    {
      isChecked: false,
      read: (from, length) => readBytes(handle, start + from, length),
      close: () => {
        closeSync(handle);
      },
    },
    head,
  );
}

/** Reads bytes into memory of their own, so that numbers in them are aligned. */
function readBytes(handle: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  while (at < length) {
    const count = readSync(handle, bytes, at, length - at, start + at);
    if (count === 0) throw new Error('The index is truncated.');
    at += count;
  }
  return bytes;
}

/**
 * Writes an index for the next start, atomically, so that only its owner can access it. `pause` yields
 * to the event loop.
 */
export async function writeIndexFile(
  file: string,
  key: string,
  { head, bytes }: BuiltIndex,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const own = parts(head).map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  const body = Buffer.concat(
    own.flatMap((part) => [part, new Uint8Array(padded(part.length) - part.length)]),
  );
  const sizes = own.map((part) => part.length).join(' ');
  const total = firstLine + body.length + bytes.length;
  const line = [format, keyHash(key), sizes, checksumOf(body), total].join('|').padEnd(firstLine - 1);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = openSync(beside, 'wx', 0o600);
    try {
      for (const part of [Buffer.from(`${line}\n`), body, bytes]) {
        for (let at = 0; at < part.length;) {
          at += writeSync(handle, part, at, Math.min(block, part.length - at));
          await pause();
        }
      }
    } finally {
      closeSync(handle);
    }
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

function keyHash(key: string): string {
  return hash('sha256', key);
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
