import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

const chunk = Buffer.allocUnsafeSlow(65_536);

/** The digest of a whole folder: every path, kind, executable bit and byte below it; links by their text. */
export function digestFolder(dir: string): string {
  return digestParts({ folder: dir });
}

/** The digest of one file. */
export function digestFile(file: string | Buffer): string {
  return digestParts({ file });
}

/** The digest of a folder, a file or both, which is that of both together. */
export function digestParts({
  folder,
  file,
}: {
  readonly folder?: string;
  readonly file?: string | Buffer;
}): string {
  const sum = createHash('sha256');
  if (folder !== undefined) addFolder(sum, Buffer.from(folder), nothing);
  if (file !== undefined) addFile(sum, Buffer.from(file as string), nothing);
  return `sha256:${sum.digest('hex')}`;
}

const nothing = Buffer.alloc(0);
const slash = Buffer.from('/');

/** Names are bytes here: not every name on a disk is text. */
function addFolder(sum: Hash, dir: Buffer, below: Buffer): void {
  const entries = readdirSync(dir, { withFileTypes: true, encoding: 'buffer' });
  entries.sort((a, b) => a.name.compare(b.name));
  for (const entry of entries) {
    const path = Buffer.concat([dir, slash, entry.name]);
    const name = below.length === 0 ? entry.name : Buffer.concat([below, slash, entry.name]);
    if (entry.isDirectory()) {
      addPart(sum, 'folder', name, 0);
      addFolder(sum, path, name);
    } else if (entry.isSymbolicLink()) addBytes(sum, 'link', name, readlinkSync(path, 'buffer'));
    else if (entry.isFile()) addFile(sum, path, name);
    else addPart(sum, 'other', name, 0);
  }
}

function addFile(sum: Hash, path: Buffer, name: Buffer): void {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    addPart(sum, (stats.mode & 0o111) === 0 ? 'file' : 'program', name, stats.size);
    for (let count = readSync(handle, chunk); count > 0; count = readSync(handle, chunk)) {
      sum.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(handle);
  }
}

function addBytes(sum: Hash, kind: string, name: Buffer, bytes: Buffer): void {
  addPart(sum, kind, name, bytes.length);
  sum.update(bytes);
}

/** Names and sizes are length-prefixed, so that no two trees give the same stream. */
function addPart(sum: Hash, kind: string, name: Buffer, size: number): void {
  sum.update(`${kind}\0${name.length}\0`).update(name).update(`\0${size}\0`);
}
