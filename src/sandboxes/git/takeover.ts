import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pause, reasonOf, type RejectedChange } from '../../core/index.ts';
import { childBehind, childOf, systemCode, type OpenHandle } from '../../files/index.ts';
import { holdAround, holdChild, identityAt, listFiles, type Copied } from './files.ts';
import { isDisposable, takeoverOf, type GitPart, type GitTerms } from './takeover-rules.ts';

/** A git folder and the private copy that a command worked on. */
export interface PrivateFolder {
  readonly part: GitPart;
  readonly real: OpenHandle;
  readonly copy: OpenHandle;
  /** The copied files, keyed by path. */
  readonly before: ReadonlyMap<string, Copied>;
  /** The top-level names of the copy that the command could not see, because something was mounted there. */
  readonly covered: ReadonlySet<string>;
}

interface Change {
  readonly folder: PrivateFolder;
  readonly path: string;
  /** The new content of the file. Undefined if the file was removed. */
  readonly bytes: Buffer | undefined;
  /** The time of the last change, in milliseconds since the Unix epoch. */
  readonly time: number;
}

/**
 * Applies the changes that a command made to the copies to the real git folders. Applies none of them if
 * another process changed one of the files or holds its lock. Uses git's own locks, so that git on the host
 * never reads a partly written file. Returns the changes that were not applied.
 */
export async function takeOver(
  folders: readonly PrivateFolder[],
  terms: Omit<GitTerms, 'part'>,
): Promise<readonly RejectedChange[]> {
  const rejected: RejectedChange[] = [];
  const changes: Change[] = [];
  const own = folders.find(({ part }) => part === 'whole' || part === 'worktree');
  if (own === undefined) return rejected;
  const fault = await attempt(async () => {
    for (const folder of folders) findChanges(folder, terms, changes, rejected);
    if (identityAt(own.copy, 'HEAD') === undefined) return 'HEAD was removed.';
    return changes.length === 0 ? undefined : apply(own, changes);
  });
  if (fault !== undefined) {
    const names = changes.map(({ path }) => path);
    const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');
    const what = shown === '' ? 'All changes' : `Changes of ${shown}`;
    rejected.unshift({ path: own.real.path, reason: `${what} were dropped: ${fault}` });
  }
  return shorten(rejected);
}

/**
 * Runs a function. If it throws, for example because a command left unreadable files, returns the reason.
 */
async function attempt(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

const maxNamed = 20;
const maxFiles = 100_000;
const maxBytesTogether = 600 * 2 ** 20;

function shorten(rejected: readonly RejectedChange[]): readonly RejectedChange[] {
  const [last, ...more] = rejected.slice(maxNamed - 1);
  if (last === undefined || more.length === 0) return rejected;
  const reason = `This and ${more.length.toLocaleString('en')} other files were dropped.`;
  return [...rejected.slice(0, maxNamed - 1), { path: last.path, reason }];
}

function findChanges(
  folder: PrivateFolder,
  terms: Omit<GitTerms, 'part'>,
  changes: Change[],
  rejected: RejectedChange[],
): void {
  const { part, real, copy, before, covered } = folder;
  const gone = new Set(before.keys());
  let [files, bytes] = [0, 0];
  const reject = (path: string, reason: string): void => {
    if (!isDisposable(path, part)) rejected.push({ path: childOf(real.path, path), reason });
  };
  for (const { path, identity } of listFiles(copy, covered)) {
    gone.delete(path);
    if ((files += 1) > maxFiles) throw new Error('there are too many files.');
    if (identity !== undefined && before.get(path)?.copy === identity) continue;
    const rule = takeoverOf(path, { ...terms, part });
    if (rule === undefined || isDisposable(path, part)) reject(path, neverTaken);
    else if (identity === undefined) reject(path, 'It is not a regular file.');
    else {
      const found = readBounded(copy, path, rule.maxBytes);
      const checked =
        typeof found === 'string'
          ? found
          : rule.check(found.bytes, before.has(path) ? readOld(real, path) : undefined);
      if (typeof found !== 'string' && (bytes += found.bytes.length) > maxBytesTogether)
        throw new Error('the files together are too large.');
      if (typeof checked === 'string') reject(path, checked);
      else if (typeof found !== 'string') changes.push({ folder, path, bytes: checked, time: found.time });
    }
  }
  for (const path of gone) {
    if (path === 'HEAD' || takeoverOf(path, { ...terms, part }) === undefined)
      reject(path, 'It was removed; the old file is kept.');
    else changes.push({ folder, path, bytes: undefined, time: 0 });
  }
}

const neverTaken = 'This change could make git run a program on this machine, so it was dropped.';

interface Found {
  readonly bytes: Buffer;
  readonly time: number;
}

function readBounded(root: OpenHandle, path: string, maxBytes: number): Found | string {
  const around = holdAround(root, path, false);
  using folder = around?.folder;
  using file = folder === undefined ? undefined : holdChild(folder, around?.name ?? '', 'file');
  if (file === undefined) return 'It is not a regular file.';
  const { size, mtimeMs } = fstatSync(file.handle);
  if (size > maxBytes) return `It is larger than ${(maxBytes / 2 ** 20).toLocaleString('en')} MB.`;
  return { bytes: readFileSync(file.handle), time: mtimeMs };
}

function readOld(root: OpenHandle, path: string): Buffer | undefined {
  const found = readBounded(root, path, 2 ** 30);
  return typeof found === 'string' ? undefined : found.bytes;
}

/**
 * Locks all files, and then applies all changes. If another process changed one of the files, applies none
 * and returns the reason. Throws if a file cannot be locked.
 */
async function apply(own: PrivateFolder, changes: readonly Change[]): Promise<string | undefined> {
  const locked: Locked[] = [];
  try {
    const isIndex = ({ folder, path }: Change): boolean => folder === own && path === 'index';
    const index = changes.find(isIndex) ?? { folder: own, path: 'index', bytes: undefined, time: 0 };
    await lockFirst(index, locked);
    for (const change of inOrder(changes.filter((one) => !isIndex(one)))) locked.push(lock(change));
    for (const { folder, path } of changes) {
      if (identityAt(folder.real, path) !== folder.before.get(path)?.real)
        return `another process changed ${path} in the meantime. Run the git commands again.`;
    }
    const isMeant = new Set(changes);
    for (const one of [...locked.slice(1), ...locked.slice(0, 1)]) {
      if (isMeant.has(one.change) && one.change.bytes !== undefined) one.commit();
    }
    for (const { change, target } of locked) {
      if (isMeant.has(change) && change.bytes === undefined) rmSync(target);
    }
    return undefined;
  } finally {
    for (const one of locked) one[Symbol.dispose]();
    for (const change of changes) if (change.bytes === undefined) removeEmpty(change);
  }
}

/** Orders changes as git does: packed refs are written before single refs are removed. */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const rank = ({ path }: Change): number => (path === 'packed-refs' ? 0 : 1);
  return changes.toSorted((one, other) => rank(one) - rank(other));
}

interface Locked extends Disposable {
  readonly change: Change;
  readonly target: string;
  /** Renames a lock file to the file that it locks. */
  commit(): void;
}

const lockMs = 1_000;

/**
 * Locks the index. Keeps trying for a second, because git usually holds this lock only for a short time.
 */
async function lockFirst(change: Change, locked: Locked[]): Promise<void> {
  const until = performance.now() + lockMs;
  for (;;) {
    try {
      locked.push(lock(change));
      return;
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw thrown;
      if (performance.now() > until)
        throw new Error('another git process holds index.lock. Run the git commands again.', {
          cause: thrown,
        });
    }
    await pause(20);
  }
}

/** Creates the lock file of a change, with the new content. */
function lock(change: Change): Locked {
  const { folder, path, bytes, time } = change;
  const around = holdAround(folder.real, path, true);
  if (around === undefined) throw new Error(`${path} is inside something that is not a folder.`);
  const held = around.folder;
  const [target, lockPath] = [around.name, `${around.name}.lock`].map((name) => childBehind(held, name)) as [
    string,
    string,
  ];
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let isOurs = false;
  const release = (): void => {
    if (isOurs) rmSync(lockPath, { force: true });
    held[Symbol.dispose]();
  };
  try {
    const handle = openSync(lockPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    isOurs = true;
    try {
      const old = lstatSync(target, { throwIfNoEntry: false });
      if (old?.isFile() === true) fchmodSync(handle, old.mode & 0o777);
      if (bytes !== undefined) writeFileSync(handle, bytes);
      if (/^(?:HEAD|packed-refs|refs\/.*)$/.test(path)) fsyncSync(handle);
      const seconds = Math.floor(time) / 1000; // The index must never be newer than the files it describes.
      if (path === 'index') futimesSync(handle, seconds, seconds);
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    release();
    throw thrown;
  }
  return {
    change,
    target,
    [Symbol.dispose]: release,
    commit() {
      renameSync(lockPath, emptied(target));
      isOurs = false; // The lock file is gone; a new one with this name belongs to another process.
    },
  };
}

/** Removes an empty folder that git left at a target path, so that a branch can be created there. */
function emptied(target: string): string {
  if (lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(target);
  return target;
}

const stays = /^(?:\.|(?:logs\/)?refs(?:\/(?:heads|tags|remotes))?|logs)$/;

function removeEmpty({ folder, path }: Change): void {
  for (let parent = dirname(path); !stays.test(parent); parent = dirname(parent)) {
    const around = holdAround(folder.real, parent, false);
    if (around === undefined) return;
    using held = around.folder;
    try {
      rmdirSync(childBehind(held, around.name));
    } catch {
      return; // The folder is not empty.
    }
  }
}
