import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';

/** The contents of a file, and the stamp of the file when it was read. */
interface OwnFile {
  readonly bytes: Buffer;
  /** A string that changes whenever a process writes to the file. */
  readonly stamp: string;
}

/**
 * Reads a regular file that only this user can write. Does not follow links. Any other file is treated as
 * empty.
 */
export function readOwnFile(file: string): OwnFile {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    const isOurs =
      process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
    const bytes = stats.isFile() && isOurs ? readFileSync(handle) : Buffer.alloc(0);
    return { bytes, stamp: stampFrom(stats) };
  } finally {
    closeSync(handle);
  }
}

/** Atomically writes a file that only its owner can access. Returns the file's new stamp. */
export function writeOwnFile(file: string, parts: readonly Uint8Array[]): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    const stamp = writeNew(beside, parts);
    renameSync(beside, file);
    return stamp;
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Returns the checksum by which damaged bytes are recognised. zlib is loaded on first use. */
export function checksumOf(bytes: Uint8Array): number {
  return process.getBuiltinModule('node:zlib').crc32(bytes);
}

/**
 * Returns 16 hexadecimal digits for a file's name that depend on a text. Two texts have the same digits only by
 * chance, so the file itself must say what it is for. Unlike a cryptographic hash, this needs no slow module.
 */
export function nameFor(text: string): string {
  let other = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) other = Math.imul(other ^ text.charCodeAt(at), 0x01000193);
  return [checksumOf(Buffer.from(text)), other >>> 0]
    .map((part) => part.toString(16).padStart(8, '0'))
    .join('');
}

/** Returns the current stamp of a file. Returns undefined if the file cannot be accessed. Never throws. */
export function stampOf(file: string): string | undefined {
  try {
    return stampFrom(statSync(file));
  } catch {
    return undefined; // The file is missing, or permission is denied.
  }
}

function writeNew(file: string, parts: readonly Uint8Array[]): string {
  const handle = openSync(file, 'wx', 0o600);
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length;) at += writeSync(handle, part, at);
    }
    return stampFrom(fstatSync(handle));
  } finally {
    closeSync(handle);
  }
}

function stampFrom({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(' ');
}
