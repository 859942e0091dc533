import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

const chunk = Buffer.allocUnsafeSlow(65_536);

/**
 * Returns a folder's digest, which covers the path, type, executable bit, content and link target of
 * everything in it.
 */
export function digestFolder(dir: string): string {
  return digestParts({ folder: dir });
}

/** Returns the digest of one file. `copy` receives exactly the digested bytes. */
export function digestFile(file: string | Buffer, copy?: DigestCopy): string {
  const sum = createHash('sha256');
  addFile(sum, Buffer.from(file as string), nothing, copy);
  return `sha256:${sum.digest('hex')}`;
}

/**
 * A receiver of all data that a digest covers. It gets the data as the digest reads it, so the copy
 * matches the digest even if files change in the meantime. Names are paths relative to the folder.
 */
export interface DigestCopy {
  addFolder(name: Buffer): void;
  addLink(name: Buffer): void;
  addFile(name: Buffer, isProgram: boolean): Disposable & { write(bytes: Uint8Array): void };
}

/** Returns the digest of a folder, a file, or both together. `copy` receives only the folder. */
export function digestParts({
  folder,
  file,
  copy,
}: {
  readonly folder?: string;
  readonly file?: string | Buffer;
  readonly copy?: DigestCopy | undefined;
}): string {
  const sum = createHash('sha256');
  if (folder !== undefined) addFolder(sum, Buffer.from(folder), nothing, copy);
  if (file !== undefined) addFile(sum, Buffer.from(file as string), nothing);
  return `sha256:${sum.digest('hex')}`;
}

const nothing = Buffer.alloc(0);
const slash = Buffer.from('/');

/** Adds a folder to the hash. Names are handled as bytes, because not every file name is valid text. */
function addFolder(sum: Hash, dir: Buffer, below: Buffer, copy: DigestCopy | undefined): void {
  const entries = readdirSync(dir, { withFileTypes: true, encoding: 'buffer' });
  entries.sort((a, b) => a.name.compare(b.name));
  for (const entry of entries) {
    const path = Buffer.concat([dir, slash, entry.name]);
    const name = below.length === 0 ? entry.name : Buffer.concat([below, slash, entry.name]);
    if (entry.isDirectory()) {
      addPart(sum, 'folder', name, 0);
      copy?.addFolder(name);
      addFolder(sum, path, name, copy);
    } else if (entry.isSymbolicLink()) {
      addBytes(sum, 'link', name, readlinkSync(path, 'buffer'));
      copy?.addLink(name);
    } else if (entry.isFile()) addFile(sum, path, name, copy);
    else addPart(sum, 'other', name, 0);
  }
}

function addFile(sum: Hash, path: Buffer, name: Buffer, copy?: DigestCopy): void {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error('A file was replaced while it was being read.');
    const isProgram = (stats.mode & 0o111) !== 0;
    addPart(sum, isProgram ? 'program' : 'file', name, stats.size);
    using target = copy?.addFile(name, isProgram);
    for (let count = readSync(handle, chunk); count > 0; count = readSync(handle, chunk)) {
      const bytes = chunk.subarray(0, count);
      sum.update(bytes);
      target?.write(bytes);
    }
  } finally {
    closeSync(handle);
  }
}

function addBytes(sum: Hash, kind: string, name: Buffer, bytes: Buffer): void {
  addPart(sum, kind, name, bytes.length);
  sum.update(bytes);
}

/**
 * Hashes a name and a size with length prefixes, so that different trees never produce the same
 * hash input.
 */
function addPart(sum: Hash, kind: string, name: Buffer, size: number): void {
  sum.update(`${kind}\0${name.length}\0`).update(name).update(`\0${size}\0`);
}
