import { hash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isJsonObject, parseJson, type Json, type PermissionRequest } from '../core/index.ts';
import { readOwnText, replaceOwnText, withTrustLock } from './trust-file.ts';

/**
 * The folders whose bundles an author trusts whatever their files contain. A bundle is not covered if a lock
 * file lists it, or if a run changed one of its files. Queries never throw; data that cannot be read grants
 * nothing.
 */
export interface FolderGrants {
  /** Whether a grant covers a bundle's current files. */
  covers(dir: string): boolean;
  /** Returns the granted folder that a call would write to, or undefined. */
  touchedBy(request: PermissionRequest): string | undefined;
  /** Records the files that a call is about to change, so that their bundles need trust if they do change. */
  noteChanges(request: PermissionRequest): Promise<void>;
  list(): readonly string[];
  /** Trusts a folder, including the changes that runs made in it. Resolves to false if it was trusted before. */
  grant(folder: string): Promise<boolean>;
  /** Resolves to the folders that were trusted before. */
  revoke(isMeant: (folder: string) => boolean): Promise<readonly string[]>;
}

/** A file that a run was about to change, with the hash of its content before. */
interface Change {
  readonly path: string;
  readonly hash: string;
}

interface Entries {
  readonly folders: readonly string[];
  readonly changes: readonly Change[];
}

const nothing: Entries = { folders: [], changes: [] };
const lockFiles = ['skilled-lock.json', 'skills-lock.json'];

/** Opens the folder grants in a file, which several processes can share. Without a file, nothing is granted. */
export function openFolderGrants(file: string | undefined): FolderGrants {
  const read = (): Entries => {
    try {
      return file === undefined ? nothing : entriesIn(readOwnText(file));
    } catch {
      return nothing; // A damaged file grants nothing; a new grant replaces it.
    }
  };
  const change = async (how: (before: Entries) => Entries): Promise<void> => {
    if (file === undefined) return;
    await withTrustLock(file, () => {
      const before = read();
      const after = how(before);
      if (after !== before)
        replaceOwnText(file, `${JSON.stringify({ version: 1, ...after }, undefined, 2)}\n`);
    });
  };
  return {
    covers(dir) {
      const { folders, changes } = read();
      if (folders.length === 0 || dir === '') return false;
      const real = realPath(dir);
      const isChanged = changes.some((one) => isWithin(one.path, real) && hashAt(one.path) !== one.hash);
      return folders.some((folder) => isWithin(real, folder)) && !isChanged && !isLocked(real);
    },
    touchedBy(request) {
      const { folders } = read();
      return folders.length === 0
        ? undefined
        : folders.find((folder) => writtenPaths(request).some((path) => isWithin(path, folder)));
    },
    async noteChanges(request) {
      const paths = writtenPaths(request);
      await change((before) => {
        const known = new Set(before.changes.map(({ path }) => path));
        const added = paths.filter((path) => !known.has(path)).map((path) => ({ path, hash: hashAt(path) }));
        return added.length === 0 ? before : { ...before, changes: [...before.changes, ...added] };
      });
    },
    list: () => read().folders,
    async grant(folder) {
      const isNew = !read().folders.includes(folder);
      await change(({ folders, changes }) => ({
        folders: [...folders.filter((known) => known !== folder), folder],
        changes: changes.filter(({ path }) => !isWithin(path, folder)),
      }));
      return isNew;
    },
    async revoke(isMeant) {
      let gone: readonly string[] = [];
      await change((before) => {
        gone = before.folders.filter(isMeant);
        return gone.length === 0
          ? before
          : { ...before, folders: before.folders.filter((folder) => !gone.includes(folder)) };
      });
      return gone;
    },
  };
}

/** Returns the file of the folder grants beside a trust file. */
export function folderGrantsFile(trustFile: string): string {
  return join(dirname(trustFile), 'trusted-folders.json');
}

function entriesIn(text: string | undefined): Entries {
  const whole = text === undefined ? undefined : parseJson(text);
  if (!isJsonObject(whole) || whole['version'] !== 1) return nothing;
  const { folders = [], changes = [] } = whole;
  const isValid = isList(folders, isText) && isList(changes, isChange);
  return isValid ? (whole as unknown as Entries) : nothing;
}

function isList(value: Json, isItem: (item: Json) => boolean): boolean {
  return Array.isArray(value) && (value as readonly Json[]).every(isItem);
}

function isText(value: Json): boolean {
  return typeof value === 'string';
}

function isChange(value: Json): boolean {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['hash'] === 'string';
}

/** Returns the real paths of the files that a call would change. */
function writtenPaths({ permission, input, workspace = '' }: PermissionRequest): readonly string[] {
  if (permission.readOnly === true || permission.touches === undefined) return [];
  return permission.touches(input).map((path) => realPath(resolve(workspace, path)));
}

/** Returns a path with all symbolic links resolved, even if its last parts do not exist. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function hashAt(path: string): string {
  try {
    return hash('sha256', readFileSync(path));
  } catch {
    return 'none'; // The file does not exist or cannot be read.
  }
}

/** Whether a lock file in a folder above lists the bundle. A lock that cannot be read lists everything. */
function isLocked(dir: string): boolean {
  const name = JSON.stringify(basename(dir)).slice(1, -1);
  for (let above = dirname(dir); ; above = dirname(above)) {
    for (const file of lockFiles.map((one) => join(above, one)).filter((one) => existsSync(one))) {
      const text = textAt(file);
      if (text === undefined || text.includes(`"${name}"`) || text.includes(`/${name}"`)) return true;
    }
    if (above === dirname(above)) return false;
  }
}

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Its content is unknown.
  }
}
