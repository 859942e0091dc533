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

/** A file as it was at one moment. */
interface OwnFile {
  readonly bytes: Buffer;
  /** Another one after every write, by whomever. */
  readonly stamp: string;
}

/** Reads a regular file that only we can have written, without following a link; the bytes of any other are none. */
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

/** Writes for its owner only, beside and then moved, so that nobody sees a half; tells the stamp of what is there now. */
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

/** The stamp of a file as it is now; none when it cannot be looked at. Never throws. */
export function stampOf(file: string): string | undefined {
  try {
    return stampFrom(statSync(file));
  } catch {
    return undefined; // missing, or not for us
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
