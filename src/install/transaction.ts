import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError, isJsonObject, isSkillName, parseJson, type Json } from '../core/index.ts';
import { digestFolder, syncPath, writeBundle, type BundleFile } from '../files/index.ts';
import { lockText, readLock, type LockedSkill } from './lock-file.ts';
import type { InstallTarget } from './target.ts';

/** A private folder in which skills are written before they are moved to their place. */
export interface InstallStaging extends Disposable {
  /** The name in the state folder. */
  readonly name: string;
  readonly folder: string;
  /** Writes a skill. Returns its folder. */
  write(name: string, files: readonly BundleFile[]): string;
}

/** Creates a staging folder that only its owner can enter. Disposing removes it, unless a change is open. */
export function openInstallStaging({ state }: InstallTarget): InstallStaging {
  const name = `staging-${randomUUID()}`;
  const folder = join(state, name);
  mkdirSync(folder, { mode: 0o700 });
  return {
    name,
    folder,
    write(skill, files) {
      const dir = join(folder, 'new', skill);
      writeBundle(dir, files, { isShared: true });
      return dir;
    },
    [Symbol.dispose]: () => {
      if (!existsSync(join(state, journalName))) discard(folder);
    },
  };
}

/** A change of one installed skill. */
export interface InstallChange {
  readonly name: string;
  /** The digest of the folder that is replaced. Absent if there is none. */
  readonly before?: string;
  /** The new entry of the lock. Absent if the skill is removed. */
  readonly entry?: LockedSkill;
  /** Set if only the lock changes. */
  readonly isRecordOnly?: true;
}

interface Journal {
  readonly staging: string;
  readonly changes: readonly InstallChange[];
}

const journalName = 'changes.json';
const stagingPattern = /^staging-[0-9a-f-]{36}$/;

/**
 * Moves staged skills to their places and updates the lock. From the moment when the journal is written, the
 * change happens as a whole, even if this process is killed: `finishChanges` completes it. The caller must
 * hold the target. Throws `skill.changed` if a folder is no longer what was shown.
 */
export function applyChanges(
  target: InstallTarget,
  staging: InstallStaging,
  changes: readonly InstallChange[],
): void {
  for (const { name, before, isRecordOnly } of changes) {
    if (isRecordOnly === true || digestAt(join(target.skills, name)) === before) continue;
    throw new AgentError('skill.changed', `The folder of "${name}" changed in the meantime.`, {
      hint: 'Nothing was changed. Run the command again.',
    });
  }
  const journal: Journal = { staging: staging.name, changes };
  const file = join(target.state, journalName);
  writeWhole(file, JSON.stringify({ version: 1, ...journal }));
  perform(target, journal);
}

/**
 * Completes the change that a killed process left unfinished, and removes staging folders. The caller must hold
 * the target.
 */
export function finishChanges(target: InstallTarget): void {
  const journal = readJournal(target);
  const isIntact = ({ name, entry }: InstallChange): boolean => {
    const staged = journal && digestAt(join(target.state, journal.staging, 'new', name));
    return staged === undefined || staged === entry?.digest; // A power failure may have damaged its files.
  };
  if (journal !== undefined) perform(target, { ...journal, changes: journal.changes.filter(isIntact) });
  rmSync(join(target.state, journalName), { recursive: true, force: true });
  for (const name of readdirSync(target.state)) {
    if (stagingPattern.test(name) || name.endsWith('.tmp')) discard(join(target.state, name));
  }
}

/** Whether a killed process left a change unfinished. Never throws. */
export function hasOpenChanges({ state }: InstallTarget): boolean {
  return existsSync(join(state, journalName));
}

/** Makes all changes of a journal. Does nothing for the ones that are already completed. */
function perform(target: InstallTarget, { staging, changes }: Journal): void {
  const folder = join(target.state, staging);
  const completed = changes.filter((change) => change.isRecordOnly === true || move(target, folder, change));
  syncPath(target.skills);
  const lock = new Map(readLock(target.lockFile));
  for (const { name, entry } of completed) {
    if (entry === undefined) lock.delete(name);
    else lock.set(name, entry);
  }
  if (lock.size > 0 || existsSync(target.lockFile)) writeWhole(target.lockFile, lockText(lock), target.state);
  rmSync(join(target.state, journalName), { force: true });
  discard(folder);
}

/**
 * Replaces or removes one folder. Returns false if another program changed the folder after a crash: it is
 * then left alone.
 */
function move(target: InstallTarget, staging: string, { name, before, entry }: InstallChange): boolean {
  const current = join(target.skills, name);
  const staged = join(staging, 'new', name);
  const old = join(staging, 'old', name);
  const now = digestAt(current);
  if (entry === undefined) {
    if (now === undefined) return true;
    if (now !== before) return false;
    putAway(current, old);
    return true;
  }
  if (!existsSync(staged)) return now === entry.digest;
  if (now !== undefined) {
    if (now !== before) return false;
    putAway(current, old);
  } else if (before !== undefined && !existsSync(old)) return false;
  renameSync(staged, current);
  return true;
}

function putAway(current: string, old: string): void {
  mkdirSync(dirname(old), { recursive: true, mode: 0o700 });
  renameSync(current, old);
}

/** Returns the digest of a folder, or undefined if nothing is there. Another kind of entry has no digest. */
export function digestAt(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? digestFolder(folder) : 'not a folder';
}

function readJournal(target: InstallTarget): Journal | undefined {
  const file = join(target.state, journalName);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const json = parseJson(readFileSync(file, 'utf8'));
  if (!isJsonObject(json) || json['version'] !== 1) return undefined;
  const { staging, changes } = json;
  if (typeof staging !== 'string' || !stagingPattern.test(staging) || !Array.isArray(changes))
    return undefined;
  const isPlain = lstatSync(join(target.state, staging), { throwIfNoEntry: false })?.isDirectory() === true;
  const areNamed = (changes as readonly Json[]).every(
    (change) => isJsonObject(change) && typeof change['name'] === 'string' && isSkillName(change['name']),
  );
  return isPlain && areNamed
    ? { staging, changes: changes as unknown as readonly InstallChange[] }
    : undefined;
}

/** Replaces a file. Atomic. Returns once the text is on disk. */
function writeWhole(file: string, text: string, folder = dirname(file)): void {
  const beside = join(folder, `${randomUUID()}.tmp`);
  try {
    writeFileSync(beside, text, { flag: 'wx', flush: true });
    chmodSync(beside, 0o644);
    renameSync(beside, file);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
  syncPath(dirname(file));
}

function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // A leftover folder does no harm, and the next command tries to remove it again.
  }
}
