import { randomBytes } from 'node:crypto';
import {
  cpSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { AgentError, optional, reasonOf, type RejectedChange } from '../../core/index.ts';
import { childBehind, childOf, holdFolder, systemCode, type OpenHandle } from '../../files/index.ts';
import type { FoundPath } from './tree.ts';

/** Opens a workspace's `.skilled` folder. Returns undefined if it does not exist. Throws if it is a link. */
export function holdSkilledFolder(root: string): OpenHandle | undefined {
  const path = childOf(root, '.skilled');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return holdFolder([root], path, path);
  throw new AgentError(
    'policy.denied',
    `"${path}" is ${stats.isSymbolicLink() ? 'a link' : 'not a folder'}.`,
    {
      hint: 'Replace it with a real folder in the workspace, because its contents decide what skills may do.',
    },
  );
}

/** A path to move aside. If there was a link at the path before, `link` is the target of that link. */
interface Unwanted {
  readonly found: FoundPath;
  readonly link: string | undefined;
}

/**
 * Moves files and folders that processes created at protected paths to `.skilled/rejected`, or to the
 * `fallback` folder if the workspace has no `.skilled` folder. Uses open handles and follows no links.
 * Renames repositories, so that git does not find them. Removes what it cannot move, and throws
 * `skill.failed` if that fails too.
 */
export function moveAside(
  root: string,
  fallback: string | undefined,
  unwanted: readonly Unwanted[],
): readonly RejectedChange[] {
  using skilled = holdSkilledFolder(root);
  using rejected = skilled && holdRejected(skilled);
  let into: string | undefined;
  return unwanted.flatMap(({ found, link }) => {
    const path = childOf(found.at.path, found.name);
    using parent = holdParent(root, found);
    if (parent === undefined) return [];
    const change = { path, reason: `It is protected: ${found.reason}` };
    let movedTo: string | undefined;
    try {
      into ??= makeOwnFolder(rejected?.path ?? fallback);
      movedTo = join(into, asideName(root, path));
      for (const from of namesLike(parent, found.name)) move(from, movedTo);
    } catch {
      movedTo = undefined; // The path cannot be moved, so it is removed instead.
      for (const from of namesLike(parent, found.name)) remove(from, path);
    }
    if (link !== undefined) symlinkSync(link, childBehind(parent, found.name));
    return [{ ...change, ...optional('movedTo', movedTo) }];
  });
}

/** Opens the folder for rejected changes in `.skilled`. Creates the folder if it is missing. */
function holdRejected(skilled: OpenHandle): OpenHandle {
  const path = childBehind(skilled, 'rejected');
  try {
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
  return holdFolder([skilled.path], childOf(skilled.path, 'rejected'), 'rejected');
}

/** Opens the parent folder of a path. Returns undefined if another folder is there now. */
function holdParent(root: string, { at }: FoundPath): OpenHandle | undefined {
  try {
    const held = holdFolder([root], at.path, at.path);
    const { dev, ino } = fstatSync(held.handle);
    if (held.path === at.path && dev === at.device && ino === at.inode) return held;
    held[Symbol.dispose]();
  } catch (thrown) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(thrown) ?? '')) throw thrown;
  }
  return undefined; // The folder has moved, so the next scan finds it at its new path.
}

/**
 * Returns the paths of the entries that Node lists under a name. Returns bytes if the name is not valid
 * UTF-8, because several entries can then have the same name. Returns an empty list if there is no longer
 * such an entry.
 */
function namesLike(parent: OpenHandle, name: string): readonly (string | Buffer)[] {
  const path = childBehind(parent, name);
  if (!name.includes('\u{fffd}'))
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : [path];
  const folder = childBehind(parent, '');
  const names = readdirSync(folder, { encoding: 'buffer' }).filter((bytes) => bytes.toString() === name);
  return names.map((bytes) => Buffer.concat([Buffer.from(folder), bytes]));
}

/** Creates a folder for the rejected changes of one command. */
function makeOwnFolder(within: string | undefined): string {
  if (within === undefined) return mkdtempSync(join(tmpdir(), 'skilled-rejected-'));
  const time = new Date().toISOString().replace(/[:.]/g, '-');
  const folder = join(within, `${time}-${randomBytes(3).toString('hex')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Builds a file name from a path, so that no program treats the moved file as the original. */
function asideName(root: string, path: string): string {
  const names = relative(root, path).split(sep);
  const plain = names.map((name) => name.replace(/^\.+/, 'dot-').replaceAll('\u{fffd}', '_')).join('__');
  return `${plain.slice(-150)}.rejected`;
}

function move(from: string | Buffer, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (systemCode(thrown) !== 'EXDEV') throw thrown;
    cpSync(from.toString(), to, { recursive: true, verbatimSymlinks: true, errorOnExist: true });
    rmSync(from, { recursive: true, force: true });
  }
}

function remove(from: string | Buffer, shown: string): void {
  try {
    rmSync(from, { recursive: true, force: true });
  } catch (thrown) {
    throw notMoved(shown, reasonOf(thrown));
  }
}

/** Creates the error for a new protected path that could be neither moved nor removed. */
export function notMoved(shown: string, reason: string): AgentError {
  return new AgentError('skill.failed', `"${shown}" is protected and could not be removed: ${reason}`, {
    hint: 'Remove it yourself before you use git, a shell or an editor in this folder.',
  });
}
