import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Skill } from '../core/skill.ts';

const chunk = Buffer.allocUnsafeSlow(65_536);

/** The digest of a whole bundle: every path, kind, executable bit and byte below its folder; links by their text. */
export function digestFolder(dir: string): string {
  const sum = createHash('sha256');
  addFolder(sum, dir, '');
  return `sha256:${sum.digest('hex')}`;
}

/** The digest of a skill that is one file. */
export function digestFile(file: string): string {
  const sum = createHash('sha256');
  addFile(sum, file, '');
  return `sha256:${sum.digest('hex')}`;
}

const known = new WeakMap<Skill, string>();

/** The digest of a skill's bundle, computed when first asked for and kept with the record. */
export function digestOf(skill: Skill, isLoose: boolean): string {
  const before = known.get(skill);
  if (before !== undefined) return before;
  const digest = isLoose ? digestFile(skill.file) : digestFolder(skill.dir);
  known.set(skill, digest);
  return digest;
}

/** The digest of a skill if someone already asked for it. */
export function knownDigest(skill: Skill): string | undefined {
  return known.get(skill);
}

function addFolder(sum: Hash, dir: string, below: string): void {
  const entries = readdirSync(dir, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(dir, entry.name);
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      addPart(sum, 'folder', name, 0);
      addFolder(sum, path, name);
    } else if (entry.isSymbolicLink()) addText(sum, 'link', name, readlinkSync(path));
    else if (entry.isFile()) addFile(sum, path, name);
    else addPart(sum, 'other', name, 0);
  }
}

function addFile(sum: Hash, path: string, name: string): void {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    addPart(sum, (stats.mode & 0o111) === 0 ? 'file' : 'program', name, stats.size);
    for (let count = readSync(handle, chunk); count > 0; count = readSync(handle, chunk)) sum.update(chunk.subarray(0, count));
  } finally {
    closeSync(handle);
  }
}

function addText(sum: Hash, kind: string, name: string, text: string): void {
  addPart(sum, kind, name, Buffer.byteLength(text));
  sum.update(text);
}

/** Names and sizes are length-prefixed, so that no two trees give the same stream. */
function addPart(sum: Hash, kind: string, name: string, size: number): void {
  sum.update(`${kind}\0${Buffer.byteLength(name)}\0${name}\0${size}\0`);
}
