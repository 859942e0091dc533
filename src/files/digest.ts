import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

const chunk = Buffer.allocUnsafeSlow(65_536);

/** The digest of a whole folder: every path, kind, executable bit and byte below it; links by their text. */
export function digestFolder(dir: string): string {
  return digestParts({ folder: dir });
}

/** The digest of one file; a copy gets exactly the bytes that count. */
export function digestFile(file: string | Buffer, copy?: DigestCopy): string {
  const sum = createHash('sha256');
  addFile(sum, Buffer.from(file as string), nothing, copy);
  return `sha256:${sum.digest('hex')}`;
}

/**
 * Receives everything that a digest covers, as it is read: what was copied is what was digested, whatever happens to the
 * files meanwhile. Names are paths in the folder.
 */
export interface DigestCopy {
  addFolder(name: Buffer): void;
  addLink(name: Buffer): void;
  addFile(name: Buffer, isProgram: boolean): Disposable & { write(bytes: Uint8Array): void };
}

/** The digest of a folder, a file or both, which is that of both together; a copy gets the folder alone. */
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

/** Names are bytes here: not every name on a disk is text. */
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
    if (!stats.isFile()) throw new Error('A file was replaced while it was read.');
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

/** Names and sizes are length-prefixed, so that no two trees give the same stream. */
function addPart(sum: Hash, kind: string, name: Buffer, size: number): void {
  sum.update(`${kind}\0${name.length}\0`).update(name).update(`\0${size}\0`);
}
