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

/** Reads and writes the source files in a bundle's copy, without following links. */
export interface StagingFiles {
  read(target: string): string | undefined;
  write(target: string, text: string): void;
  remove(target: string): void;
}

const maxBytes = 16_000_000;

/** Returns the functions that access the `src` folder of a copy. The first write creates the folder. */
export function stagingFiles(copy: string): StagingFiles {
  const src = join(copy, 'src');
  const owner = lstatSync(copy);
  return {
    read(target) {
      const read = readSmallFile(pathOf(src, target), maxBytes);
      if (read === undefined) return undefined;
      if ('fault' in read) throw unusable(`src/${target} ${read.fault}.`);
      return read.bytes.toString('utf8');
    },
    write: named((target, text: string) => {
      const path = pathOf(src, target);
      for (const folder of foldersOf(target)) makeFolder(join(src, folder), owner);
      const old = lstatSync(path, { throwIfNoEntry: false });
      if (old !== undefined && !old.isFile()) throw unusable(`src/${target} is not a regular file.`);
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

/**
 * Wraps a function so that its errors name the file instead of repeating the message of the operating system.
 */
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

/**
 * Returns the absolute path of a target. Throws if a parent is not an actual folder, because a link could
 * lead outside `src`.
 */
function pathOf(src: string, target: string): string {
  if (!isTarget(target)) throw unusable(`${JSON.stringify(target)} is not a valid path for generated code.`);
  for (const folder of foldersOf(target)) {
    const stats = lstatSync(join(src, folder), { throwIfNoEntry: false });
    if (stats === undefined) break;
    if (!stats.isDirectory()) throw unusable(`${join('src', folder)} is not a folder.`);
  }
  return join(src, target);
}

/** Returns the folders from `src` down to the folder of a target, outermost first. */
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
  return new AgentError('skill.invalid', message, {
    hint: 'Move the file or folder elsewhere, or rename the spec.',
  });
}

/**
 * The source files that a copy is expected to contain: the files of the bundle and those that were written to
 * the copy.
 */
interface CopiedSources {
  /** Records that a file was written with this text. `path` is relative to `src`. */
  note(path: string, text: string): void;
  forget(path: string): void;
  /** Whether a file has the expected content, or does not exist if it is not expected. */
  isOurs(path: string): boolean;
  /** Whether the copy contains exactly the expected files with the expected content. */
  areOurs(): boolean;
}

/**
 * Creates the record of a copy's source files, starting with the files of the bundle. Either `src` folder may
 * be missing. The functions throw errors of the file system.
 */
export function createCopiedSources(bundleSrc: string, copySrc: string): CopiedSources {
  const expected = sumsIn(bundleSrc);
  return {
    note: (path, text) => void expected.set(byteKeyOf(path), `sha256:${hash('sha256', text)}`),
    forget: (path) => void expected.delete(byteKeyOf(path)),
    isOurs: (path) => sumsIn(copySrc, byteKeyOf(path)).get(byteKeyOf(path)) === expected.get(byteKeyOf(path)),
    areOurs() {
      const found = sumsIn(copySrc);
      return found.size === expected.size && [...expected].every(([key, sum]) => found.get(key) === sum);
    },
  };
}

type Sums = Map<string, string>;

/**
 * Returns the hashes of files and the targets of links, keyed by path. If `only` is set, the result contains
 * only the entry for that path.
 */
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
    if (folder === '' && systemCode(thrown) === 'ENOENT') return []; // The copy has no `src` folder.
    throw thrown;
  }
}

/** Encodes each byte of a path as one character, because file names need not be valid text. */
function byteKeyOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function bytePathOf(src: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(`${src}/`), Buffer.from(key, 'latin1')]);
}
