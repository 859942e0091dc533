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
import { standInside } from './open-file.ts';
import { below, childOf, isWithin, locate, shownPath, type Area } from './paths.ts';
import { checkUnprotected } from './protected.ts';

/** What became of a file. */
interface Written {
  readonly shown: string;
  readonly isNew: boolean;
}

/** All bytes of a file, at once or as they are made; what throws while it makes them leaves the file as it was. */
type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** What holds for a single write. */
export interface WriteOptions {
  /** A person approved this very path: it may be a protected one, if no link is on the way to it. */
  readonly isApproved?: true | undefined;
}

/**
 * Writes a whole file of the area and makes the folders that are missing. Whoever looks sees the old file or the new
 * one, also after a crash. A link stays, and what it leads to is written; one that leads out of the area is refused.
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
    const { roots, real, missing } = standInside(area, located, shown);
    const check = (path: string): void =>
      checkUnprotected(roots, path, shown, isApproved && approvedPath(area, roots, located));
    check([real, ...missing].join(sep)); // before any folder is made
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

/** The real path of what was approved, where no link is on the way; a path with links is none that a person saw. */
function approvedPath({ workspace }: Area, [root]: readonly string[], located: string): string | undefined {
  if (workspace === undefined || root === undefined) return undefined;
  return isWithin(located, workspace) ? childOf(root, below(workspace, located)) : undefined;
}

type Check = (path: string) => void;

/** Opens a folder in which we may write. */
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

/** Makes folders in a folder, each one inside the one before, and opens the last. */
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
      if (systemCode(thrown) !== 'EEXIST') throw thrown; // somebody else made it just now
    }
    held = holdOwn(roots, child, shown, check);
  }
  return held;
}

/** Writes beside and then moves into place; tells whether there was nothing before. */
async function putInto(folder: OpenHandle, name: string, bytes: Bytes, shown: string): Promise<boolean> {
  const target = childBehind(folder, name);
  const old = lstatSync(target, { throwIfNoEntry: false });
  if (old?.isSymbolicLink() === true) {
    throw new AgentError('usage.bad-input', `"${shown}" is a link that leads nowhere.`, {
      hint: 'Write to another path, or remove the link.',
    });
  }
  if (old !== undefined) checkRegular(old, shown);
  checkNoDatabase(target, shown);
  if (old !== undefined && (old.mode & 0o222) === 0) {
    throw new AgentError('policy.denied', `"${shown}" is marked as read-only.`, {
      hint: 'Somebody wanted it to stay; make it writable first if it is to change.',
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
  if (process.platform !== 'win32') fsyncSync(folder.handle); // Windows cannot, and need not
  return old === undefined;
}

async function writeNew(file: string, bytes: Bytes, old: Stats | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = old === undefined ? 0o666 : 0o600; // nobody else looks into it before it has the mode of the old one
  await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  await handle.writeFile(bytes);
  if (old !== undefined) {
    const made = await handle.stat();
    if (made.uid !== old.uid || made.gid !== old.gid) await keepOwner(() => handle.chown(old.uid, old.gid));
    await handle.chmod(old.mode & 0o777);
  }
  await handle.sync();
}

async function keepOwner(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch {
    // only a privileged process can give a file away; any other one owns what it writes
  }
}

/** Throws for a file of SQLite and for those beside it: records are changed through their tables, and by no text. */
function checkNoDatabase(path: string, shown: string): void {
  if (!isDatabase(path) && !isDatabase(path.replace(/-(?:wal|shm|journal)$/i, ''))) return;
  throw new AgentError('policy.denied', `"${shown}" belongs to a database, which is not written as a file.`, {
    hint: 'Change records through the skill of their table.',
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
    return false; // what is not there, or cannot be read, is no database of ours
  }
}
