import { hash } from 'node:crypto';
import { readdirSync, readlinkSync, type Dirent } from 'node:fs';
import { systemCode } from '../files/file-fault.ts';
import { hashFile } from './hash-file.ts';

/** What the source files of a copy should be: those of the bundle, but for what was written here since. */
export interface CopiedSources {
  /** A file was written with this text, by its path from `src`. */
  note(path: string, text: string): void;
  forget(path: string): void;
  /** Whether a file is what it should be, or is missing as it should. */
  isOurs(path: string): boolean;
  /** Whether all of them are, and nothing lies beside them. */
  areOurs(): boolean;
}

/** Compares the sources of a copy with those that it was made of; folders may be missing. All of it throws what the file system throws. */
export function createCopiedSources(bundleSrc: string, copySrc: string): CopiedSources {
  const wanted = sumsIn(bundleSrc);
  return {
    note: (path, text) => void wanted.set(keyOf(path), `sha256:${hash('sha256', text)}`),
    forget: (path) => void wanted.delete(keyOf(path)),
    isOurs: (path) => sumsIn(copySrc, keyOf(path)).get(keyOf(path)) === wanted.get(keyOf(path)),
    areOurs() {
      const found = sumsIn(copySrc);
      return found.size === wanted.size && [...wanted].every(([key, sum]) => found.get(key) === sum);
    },
  };
}

type Sums = Map<string, string>;

/** Hashes of files and texts of links, by path; of one path only where that is given. */
function sumsIn(src: string, only?: string): Sums {
  const sums: Sums = new Map();
  const folders = [''];
  for (const folder of folders) {
    for (const entry of entriesIn(src, folder)) {
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (only !== undefined && key !== only && !only.startsWith(`${key}/`)) continue;
      if (entry.isDirectory()) folders.push(key);
      else if (entry.isSymbolicLink()) sums.set(key, `link:${readlinkSync(pathOf(src, key), 'latin1')}`);
      else sums.set(key, hashFile(pathOf(src, key)));
    }
  }
  return sums;
}

function entriesIn(src: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(pathOf(src, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch (thrown) {
    if (folder === '' && systemCode(thrown) === 'ENOENT') return []; // there are none
    throw thrown;
  }
}

/** A path with each byte as one character: not every name on a disk is text. */
function keyOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function pathOf(src: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(`${src}/`), Buffer.from(key, 'latin1')]);
}
