import { hash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  rmdirSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../core/index.ts';
import { fileFault, systemCode } from '../files/index.ts';
import { giveTo } from './copy-bundle.ts';
import { hashFile, readSmallFile } from './file-access.ts';
import { isTarget } from './targets.ts';

/** The source files of a copy of a bundle, by target, reached through no link. */
export interface StagingFiles {
  read(target: string): string | undefined;
  write(target: string, text: string): void;
  remove(target: string): void;
}

const mostBytes = 16_000_000;

/** The files in the `src` of a copy, which is made with the first one. */
export function stagingFiles(copy: string): StagingFiles {
  const src = join(copy, 'src');
  const owner = lstatSync(copy);
  return {
    read(target) {
      const read = readSmallFile(pathOf(src, target), mostBytes);
      if (read === undefined) return undefined;
      if ('fault' in read) throw unusable(`src/${target} ${read.fault}.`);
      return read.bytes.toString('utf8');
    },
    write: named((target, text: string) => {
      const path = pathOf(src, target);
      for (const folder of foldersOf(target)) makeFolder(join(src, folder), owner);
      const old = lstatSync(path, { throwIfNoEntry: false });
      if (old !== undefined && !old.isFile()) throw unusable(`src/${target} is no regular file.`);
      rmSync(path, { force: true });
      const mode = old === undefined ? 0o666 : (old.mode & 0o777) | 0o200;
      writeFileSync(path, text, { flag: 'wx', mode });
      giveTo(path, old ?? owner);
    }),
    remove: named((target) => {
      rmSync(pathOf(src, target), { force: true });
      for (const folder of foldersOf(target).slice(1).reverse()) removeEmpty(join(src, folder));
    }),
  };
}

/** The same work, which fails with the file in question instead of what the system says. */
function named<Rest extends readonly unknown[]>(
  work: (target: string, ...rest: Rest) => void,
): (target: string, ...rest: Rest) => void {
  return (target, ...rest) => {
    try {
      work(target, ...rest);
    } catch (thrown) {
      throw fileFault(thrown, `src/${target}`);
    }
  };
}

/** The path of a target; folders on the way that are none are refused, for they could lead out. */
function pathOf(src: string, target: string): string {
  if (!isTarget(target)) throw unusable(`${JSON.stringify(target)} is no place for generated code.`);
  for (const folder of foldersOf(target)) {
    const stats = lstatSync(join(src, folder), { throwIfNoEntry: false });
    if (stats === undefined) break;
    if (!stats.isDirectory()) throw unusable(`${join('src', folder)} is no folder.`);
  }
  return join(src, target);
}

/** The folders from `src` down to that of a target, `src` itself first. */
function foldersOf(target: string): readonly string[] {
  const names = target.split('/').slice(0, -1);
  return ['.', ...names.map((_name, index) => names.slice(0, index + 1).join('/'))];
}

function makeFolder(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(path);
  giveTo(path, owner);
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (thrown) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(thrown) ?? '')) throw thrown;
  }
}

function unusable(message: string): AgentError {
  return new AgentError('skill.invalid', message, { hint: 'Move it away, or rename the spec.' });
}

/** What the source files of a copy should be: those of the bundle, but for what was written here since. */
interface CopiedSources {
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
    note: (path, text) => void wanted.set(byteKeyOf(path), `sha256:${hash('sha256', text)}`),
    forget: (path) => void wanted.delete(byteKeyOf(path)),
    isOurs: (path) => sumsIn(copySrc, byteKeyOf(path)).get(byteKeyOf(path)) === wanted.get(byteKeyOf(path)),
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
      else if (entry.isSymbolicLink()) sums.set(key, `link:${readlinkSync(bytePathOf(src, key), 'latin1')}`);
      else sums.set(key, hashFile(bytePathOf(src, key)));
    }
  }
  return sums;
}

function entriesIn(src: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(bytePathOf(src, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch (thrown) {
    if (folder === '' && systemCode(thrown) === 'ENOENT') return []; // there are none
    throw thrown;
  }
}

/** A path with each byte as one character: not every name on a disk is text. */
function byteKeyOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function bytePathOf(src: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(`${src}/`), Buffer.from(key, 'latin1')]);
}
