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

/** Copies of bundles by digest, which processes of skills run from: nothing that is done to a bundle reaches them. */
export interface BundleCopies {
  /**
   * The folder that holds exactly the files of this digest: found and checked, or made now of the files of the skill.
   * Undefined for a bundle that is too large. Throws `skill.changed` where the files are others by now.
   */
  open(skill: CopiedSkill, digest: string): string | undefined;
}

/** Where copies are, and for how long. */
interface CopyOptions {
  /** Where they are kept; without a folder that can be used, they are there until this process ends. */
  readonly folder: string | undefined;
  /** A copy is kept for so many days after its last use, and never less than 30. */
  readonly days: number;
  /** Larger bundles are not copied. */
  readonly mostBytes?: number;
}

const usualMostBytes = 64 * 2 ** 20;
const leastDays = 30;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** A copy that this process has checked. */
interface Checked {
  /** The copy as a bundle of its own, so that a change of it shows. */
  readonly bundle: Filed;
  readonly digest: string;
  usedAt: number;
}

/** No copy is looked at before the first one is asked for. */
export function createBundleCopies({ folder, days, mostBytes = usualMostBytes }: CopyOptions): BundleCopies {
  const checked = new Map<string, Checked>();
  const tooLarge = new Set<string>();
  let root: string | undefined;

  /** Its time of change says until when it is kept: the longest of all stores whose runs used it. */
  const use = (home: string, copy: Checked): string => {
    const now = Date.now();
    if (now - copy.usedAt < hourMs) return copy.bundle.dir;
    copy.usedAt = now;
    keepUntil(home, now + Math.max(days, leastDays) * dayMs);
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
      if (isWithin(root, skill.dir) || sizeOf(skill.dir) > mostBytes) {
        tooLarge.add(digest);
        return undefined;
      }
      const copy = findCopy(home, skill) ?? makeCopy(root, home, skill, digest, mostBytes);
      checked.set(digest, copy);
      return use(home, copy);
    },
  };
}

/** The folder of all copies: ours alone, and not a link. */
function openRoot(folder: string | undefined): string {
  if (folder === undefined) return openTemporary();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isOwn(folder) ? realpathSync.native(folder) : openTemporary();
  } catch {
    return openTemporary(); // a home that cannot be written, as in many containers
  }
}

let temporary: string | undefined;

/** One for this process. */
function openTemporary(): string {
  if (temporary !== undefined) return temporary;
  const made = mkdtempSync(join(realPath(tmpdir()), 'skilled-bundles-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return (temporary = made);
}

/** The folder for copies that are not kept, if it could be in a workspace; made at once then, so that it can be protected. */
export function temporaryCopies(workspace: string): string | undefined {
  return isWithin(realPath(tmpdir()), realPath(workspace)) ? openTemporary() : undefined;
}

/** Whether a path is a folder that only this user can change. */
function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}

/** The copy at this path if it is ours and has every byte that was written; anything else is moved out of the way. */
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
    return undefined; // half a copy: it is made again
  }
}

/** The copy as it is now; undefined where it cannot be read. */
function checkedAt(home: string, { dir, file }: Filed): Checked | undefined {
  const own = join(home, 'files');
  const bundle = { dir: own, file: join(own, below(dir, file)), loose: false };
  const { digest } = freshnessOf(bundle);
  return digest === undefined ? undefined : { bundle, digest, usedAt: 0 };
}

/** Bytes of all files that a copy would hold. */
function sizeOf(dir: string): number {
  let bytes = 0;
  for (const { path, stats } of entriesOf(dir, () => undefined)) {
    if (stats?.isFile() === true) bytes += stats.size;
    const target = stats?.isSymbolicLink() === true ? targetOf(path)?.real : undefined;
    if (target !== undefined && !isWithin(target, realPath(dir))) bytes += statsOf(target)?.size ?? 0;
  }
  return bytes;
}

/** Makes a copy beside and moves it into place once it is what it has to be; of several processes the first one wins. */
function makeCopy(
  root: string,
  home: string,
  skill: CopiedSkill,
  digest: string,
  mostBytes: number,
): Checked {
  const beside = join(root, `.new-${randomUUID()}`);
  try {
    mkdirSync(join(beside, 'files'), { recursive: true, mode: 0o700 });
    if (copyBundle(skill, join(beside, 'files'), mostBytes) !== digest) throw filesChanged(skill.name);
    const written = checkedAt(beside, skill);
    if (written === undefined) throw new Error('what was written cannot be read');
    writeOwnFile(join(beside, 'digest'), [Buffer.from(written.digest)]);
    keepUntil(beside, Date.now() + leastDays * dayMs);
    moveInto(beside, home);
    removeExpired(root);
    const copy = findCopy(home, skill);
    if (copy !== undefined) return copy;
    throw new Error('the copy was changed as soon as it was made');
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    throw new AgentError(
      'skill.failed',
      `"${skill.name}" cannot be copied to ${root}: ${reasonOf(thrown)}.`,
      {
        hint: 'Make room there, or name another folder with XDG_CACHE_HOME.',
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
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw thrown; // else another process was faster
  }
}

/** Never shortens the time that another process asked for. */
function keepUntil(home: string, until: number): void {
  try {
    const { mtimeMs } = lstatSync(home);
    if (mtimeMs < until) utimesSync(home, Date.now() / 1000, until / 1000);
  } catch {
    // it is gone, which the next use sees
  }
}

/** Removes copies whose time is over, and what was left by processes that were killed. */
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

/** Moved first, so that no process finds half of it. */
function discard(path: string): void {
  const away = join(dirname(path), `.old-${randomUUID()}`);
  try {
    renameSync(path, away);
    rmSync(away, { recursive: true, force: true });
  } catch {
    // another process was faster, or it is not ours: it is removed, or never used
  }
}
