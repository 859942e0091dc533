import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { below, isWithin, realPath, systemCode } from '../../files/index.ts';
import { statsOf } from '../cache/fingerprint.ts';
import { readOwnFile, writeOwnFile } from '../cache/own-file.ts';
import { targetOf } from '../discover/links.ts';
import { entriesOf } from './bundle-files.ts';
import { copyBundle, filesChanged, type CopiedSkill } from './copy-bundle.ts';
import { freshnessOf, type Filed } from './fresh-digest.ts';

/**
 * Copies of bundles, keyed by digest. Processes run from the copies, so later changes to a bundle do not
 * affect them.
 */
export interface BundleCopies {
  /**
   * Returns a folder that contains exactly the files from which the digest was computed. Verifies an existing
   * copy, or makes a new one. Returns undefined if the bundle is too large. Throws `skill.changed` if the
   * files no longer have this digest.
   */
  open(skill: CopiedSkill, digest: string): string | undefined;
}

/** Options for storing copies. */
interface CopyOptions {
  /** The folder for copies. If it cannot be used, copies exist only until this process ends. */
  readonly folder: string | undefined;
  /** The number of days that a copy is kept after its last use. At least 30. */
  readonly days: number;
  /** The maximum size of a bundle in bytes. Larger bundles are not copied. */
  readonly maxBytes?: number;
}

const usualMostBytes = 64 * 2 ** 20;
const leastDays = 30;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** A copy that this process has verified. */
interface Checked {
  /** The copy in the form of a bundle, for checking whether its files have changed. */
  readonly bundle: Filed;
  readonly digest: string;
  usedAt: number;
}

/** Creates a store of bundle copies. It first accesses the disk when `open` is called. */
export function createBundleCopies({ folder, days, maxBytes = usualMostBytes }: CopyOptions): BundleCopies {
  const checked = new Map<string, Checked>();
  const tooLarge = new Set<string>();
  let root: string | undefined;

  /** Marks a copy as used and returns its folder. The modification time of a copy is its expiry time. */
  const use = (home: string, copy: Checked): string => {
    const now = Date.now();
    if (now - copy.usedAt < hourMs) return copy.bundle.dir;
    copy.usedAt = now;
    extendExpiry(home, now + Math.max(days, leastDays) * dayMs);
    return copy.bundle.dir;
  };
  return {
    open(skill, digest) {
      if (tooLarge.has(digest)) return undefined;
      root ??= openRoot(folder);
      const home = join(root, digest.replace(/^sha256:/, ''));
      const before = checked.get(digest);
      if (before !== undefined && freshnessOf(before.bundle).digest === before.digest)
        return use(home, before);
      checked.delete(digest);
      if (isWithin(root, skill.dir) || sizeOf(skill.dir) > maxBytes) {
        tooLarge.add(digest);
        return undefined;
      }
      const copy = findCopy(home, skill) ?? makeCopy(root, home, skill, digest, maxBytes);
      checked.set(digest, copy);
      return use(home, copy);
    },
  };
}

/**
 * Opens the folder that contains all copies. If the folder is a link or another user can change it, opens a
 * temporary folder instead.
 */
function openRoot(folder: string | undefined): string {
  if (folder === undefined) return openTemporary();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isOwn(folder) ? realpathSync.native(folder) : openTemporary();
  } catch {
    return openTemporary(); // In many containers, the home folder is not writable.
  }
}

let temporary: string | undefined;

/** Opens this process's temporary folder. */
function openTemporary(): string {
  if (temporary !== undefined) return temporary;
  const created = mkdtempSync(join(realPath(tmpdir()), 'skilled-bundles-'));
  process.once('exit', () => rmSync(created, { recursive: true, force: true }));
  return (temporary = created);
}

/**
 * Returns the temporary folder for copies if the system's temporary folder is in the workspace, or else
 * undefined. Creates the folder, so that it can be protected.
 */
export function temporaryCopies(workspace: string): string | undefined {
  return isWithin(realPath(tmpdir()), realPath(workspace)) ? openTemporary() : undefined;
}

/** Whether a path is a folder that only this user can change. */
function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}

/** Returns the copy at a path, if this user owns it and it is complete. Removes anything else at the path. */
function findCopy(home: string, skill: Filed): Checked | undefined {
  if (lstatSync(home, { throwIfNoEntry: false }) === undefined) return undefined;
  const copy = isOwn(home) ? checkedAt(home, skill) : undefined;
  if (copy?.digest === digestIn(home)) return copy;
  discard(home);
  return undefined;
}

function digestIn(home: string): string | undefined {
  try {
    return readOwnFile(join(home, 'digest')).bytes.toString('utf8');
  } catch {
    return undefined; // The copy is incomplete and will be recreated.
  }
}

/** Returns the current state of a copy, or undefined if it cannot be read. */
function checkedAt(home: string, { dir, file }: Filed): Checked | undefined {
  const own = join(home, 'files');
  const bundle = { dir: own, file: join(own, below(dir, file)), loose: false };
  const { digest } = freshnessOf(bundle);
  return digest === undefined ? undefined : { bundle, digest, usedAt: 0 };
}

/** Returns the total size that a copy of a bundle would have, in bytes. */
function sizeOf(dir: string): number {
  let bytes = 0;
  for (const { path, stats } of entriesOf(dir, () => undefined)) {
    if (stats?.isFile() === true) bytes += stats.size;
    const target = stats?.isSymbolicLink() === true ? targetOf(path)?.real : undefined;
    if (target !== undefined && !isWithin(target, realPath(dir))) bytes += statsOf(target)?.size ?? 0;
  }
  return bytes;
}

/**
 * Makes a copy in a temporary folder, verifies it, and renames it to its final name. If several processes do
 * this at the same time, the first copy is kept.
 */
function makeCopy(root: string, home: string, skill: CopiedSkill, digest: string, maxBytes: number): Checked {
  const beside = join(root, `.new-${randomUUID()}`);
  try {
    mkdirSync(join(beside, 'files'), { recursive: true, mode: 0o700 });
    if (copyBundle(skill, join(beside, 'files'), maxBytes) !== digest) throw filesChanged(skill.name);
    const written = checkedAt(beside, skill);
    if (written === undefined) throw new Error('the new copy cannot be read');
    writeOwnFile(join(beside, 'digest'), [Buffer.from(written.digest)]);
    extendExpiry(beside, Date.now() + leastDays * dayMs);
    moveInto(beside, home);
    removeExpired(root);
    const copy = findCopy(home, skill);
    if (copy !== undefined) return copy;
    throw new Error('the copy was changed right after it was made');
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    throw new AgentError(
      'skill.failed',
      `"${skill.name}" cannot be copied to ${root}: ${reasonOf(thrown)}.`,
      {
        hint: 'Free some disk space there, or set XDG_CACHE_HOME to another folder.',
      },
    );
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function moveInto(beside: string, home: string): void {
  try {
    renameSync(beside, home);
  } catch (thrown) {
    const code = systemCode(thrown);
    // Another process has already created the copy.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw thrown;
  }
}

/** Extends the expiry of a copy. Never shortens it. */
function extendExpiry(home: string, until: number): void {
  try {
    const { mtimeMs } = lstatSync(home);
    if (mtimeMs < until) utimesSync(home, Date.now() / 1000, until / 1000);
  } catch {
    // The copy was removed. The next `open` makes a new one.
  }
}

/** Removes expired copies, and incomplete copies left by processes that were killed. */
function removeExpired(root: string): void {
  const now = Date.now();
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isOver = name.startsWith('.') ? now - stats.ctimeMs > dayMs : stats.mtimeMs < now;
    if (isOver) discard(path);
  }
}

/** Removes a copy. Renames it first, so that no process uses a copy that is partly removed. */
function discard(path: string): void {
  const away = join(dirname(path), `.old-${randomUUID()}`);
  try {
    renameSync(path, away);
    rmSync(away, { recursive: true, force: true });
  } catch {
    // Another process removed the copy first, or the copy belongs to another user and is never used.
  }
}
