import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, sep } from 'node:path';
import { AgentError } from '../core/index.ts';
import { fileFault, systemCode } from './file-fault.ts';
import { checkRegular, childBehind, holdFolder, type OpenHandle } from './file-handle.ts';
import { locateInside } from './open-file.ts';
import { below, childOf, isWithin, locate, shownPath, type Area } from './paths.ts';
import { checkUnprotected } from './protected.ts';

/** The result of writing a file. */
interface Written {
  readonly shown: string;
  readonly isNew: boolean;
}

/**
 * A file's entire content, as one buffer or as a stream. If the stream throws, the file is left
 * unchanged.
 */
type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Options for a single write. */
export interface WriteOptions {
  /** Set if the user approved this exact path, which may then be protected but must not contain a link. */
  readonly isApproved?: true | undefined;
}

/**
 * Writes an entire file in a file scope, and creates missing folders. Readers see either the old file or the
 * new one, even after a crash. Follows links, but rejects those that lead outside the scope.
 */
export async function writeFile(
  area: Area,
  path: string,
  bytes: Bytes,
  { isApproved }: WriteOptions = {},
): Promise<Written> {
  const located = locate(area, path);
  const shown = shownPath(area, located);
  try {
    const { roots, real, missing } = locateInside(area, located, shown);
    const check = (path: string): void =>
      checkUnprotected(roots, path, shown, isApproved && approvedPath(area, roots, located));
    check([real, ...missing].join(sep)); // The check must precede the creation of folders.
    const isThere = missing.length === 0;
    if (isThere) checkRegular(lstatSync(real), shown);
    const name = missing.at(-1) ?? basename(real);
    using folder = isThere
      ? holdOwn(roots, dirname(real), shown, check)
      : makeFolders(roots, real, missing.slice(0, -1), shown, check);
    check(childOf(folder.path, name));
    return { shown, isNew: await putInto(folder, name, bytes, shown) };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}

/**
 * Returns the path that the user approved, below the real workspace. Links in it are not followed, because
 * the user did not see their targets.
 */
function approvedPath({ workspace }: Area, [root]: readonly string[], located: string): string | undefined {
  if (workspace === undefined || root === undefined) return undefined;
  return isWithin(located, workspace) ? childOf(root, below(workspace, located)) : undefined;
}

type Check = (path: string) => void;

/** Opens a folder, and checks that it is not protected. */
function holdOwn(roots: readonly string[], real: string, shown: string, check: Check): OpenHandle {
  const held = holdFolder(roots, real, shown);
  try {
    check(held.path);
    return held;
  } catch (thrown) {
    held[Symbol.dispose]();
    throw thrown;
  }
}

/** Creates nested folders inside a folder and opens the innermost one. */
function makeFolders(
  roots: readonly string[],
  real: string,
  names: readonly string[],
  shown: string,
  check: Check,
): OpenHandle {
  let held = holdOwn(roots, real, shown, check);
  for (const name of names) {
    using parent = held;
    check(childOf(parent.path, name));
    const child = childBehind(parent, name);
    try {
      mkdirSync(child);
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw thrown; // Another process just created the folder.
    }
    held = holdOwn(roots, child, shown, check);
  }
  return held;
}

/** Writes a temporary file next to the target and renames it. Returns whether the target is new. */
async function putInto(folder: OpenHandle, name: string, bytes: Bytes, shown: string): Promise<boolean> {
  const target = childBehind(folder, name);
  const old = lstatSync(target, { throwIfNoEntry: false });
  if (old?.isSymbolicLink() === true) {
    throw new AgentError('usage.bad-input', `"${shown}" is a broken link.`, {
      hint: 'Write to another path, or remove the link.',
    });
  }
  if (old !== undefined) checkRegular(old, shown);
  checkNoDatabase(target, shown);
  if (old !== undefined && (old.mode & 0o222) === 0) {
    throw new AgentError('policy.denied', `"${shown}" is marked as read-only.`, {
      hint: 'Make it writable first if you really want to change it.',
    });
  }
  const beside = childBehind(folder, `.skilled-${randomUUID()}.tmp`);
  try {
    await writeNew(beside, bytes, old);
    await rename(beside, target);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
  // Windows cannot sync folders and does not need to.
  if (process.platform !== 'win32') fsyncSync(folder.handle);
  return old === undefined;
}

async function writeNew(file: string, bytes: Bytes, old: Stats | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = old === undefined ? 0o666 : 0o600; // Keeps the file private until it gets the old file's mode.
  await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  await handle.writeFile(bytes);
  if (old !== undefined) {
    const stats = await handle.stat();
    if (stats.uid !== old.uid || stats.gid !== old.gid)
      await preserveOwner(() => handle.chown(old.uid, old.gid));
    await handle.chmod(old.mode & 0o777);
  }
  await handle.sync();
}

async function preserveOwner(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch {
    // Only a privileged process can change the owner. For any other process, the owner is already
    // correct.
  }
}

/**
 * Throws for SQLite files and their journals, because records may be changed only through the skills for
 * their tables.
 */
function checkNoDatabase(path: string, shown: string): void {
  if (!isDatabase(path) && !isDatabase(path.replace(/-(?:wal|shm|journal)$/i, ''))) return;
  throw new AgentError('policy.denied', `"${shown}" belongs to a database and cannot be written as a file.`, {
    hint: 'To change records, use the skill for their table.',
  });
}

const mark = 'SQLite format 3\0';

function isDatabase(path: string): boolean {
  try {
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(mark.length);
      return readSync(handle, head) === mark.length && head.toString('latin1') === mark;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false; // A missing or unreadable file is not treated as a database.
  }
}
