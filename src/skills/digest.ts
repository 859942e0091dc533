import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import type { Skill } from '../core/skill.ts';

const chunk = Buffer.allocUnsafeSlow(65_536);

/** The digest of a whole bundle: every path, kind, executable bit and byte below its folder; links by their text. */
export function digestFolder(dir: string): string {
  return digest((sum) => addFolder(sum, Buffer.from(dir), nothing));
}

/** The digest of a skill that is one file. */
export function digestFile(file: string): string {
  return digest((sum) => addFile(sum, Buffer.from(file), nothing));
}

const known = new WeakMap<Skill, string>();

/** The digest of a skill's bundle, computed when first asked for and kept with the record. */
export function digestOf(skill: Skill, isLoose: boolean): string {
  const before = known.get(skill);
  if (before !== undefined) return before;
  const now = digestNow(skill, isLoose);
  known.set(skill, now);
  return now;
}

/** The digest of a skill's bundle, computed now. */
export function digestNow({ dir, file }: Pick<Skill, 'dir' | 'file'>, isLoose: boolean): string {
  const isLink = lstatSync(file).isSymbolicLink();
  return digest((sum) => {
    if (!isLoose) addFolder(sum, Buffer.from(dir), nothing);
    // A descriptor is read through its link, so its bytes count wherever they lie.
    if (isLoose || isLink) addFile(sum, realpathSync.native(file, 'buffer'), nothing);
  });
}

/** The digest of a skill if someone already asked for it. */
export function knownDigest(skill: Skill): string | undefined {
  return known.get(skill);
}

function digest(add: (sum: Hash) => void): string {
  const sum = createHash('sha256');
  add(sum);
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
