import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, reasonOf } from '../core/index.ts';
import { noTrust, readEntries, writeEntries, type TrustEntries } from './trust-entries.ts';

/**
 * Reads a trust file. Returns no entries if the file does not exist. Throws `usage.bad-settings` if the file
 * is damaged or other users can write to it.
 */
export function readTrustFile(file: string): TrustEntries {
  const text = readOwnText(file);
  if (text === undefined) return noTrust;
  const read = readEntries(text);
  if (read.ok) return read.entries;
  throw refusal(
    `${file}:${read.line} ${read.fault}.`,
    'Fix the file, or move it away and grant trust again.',
  );
}

/** Replaces a trust file atomically. Only its owner can read the new file. */
export function writeTrustFile(file: string, entries: TrustEntries): void {
  replaceOwnText(file, writeEntries(entries));
}

/** Replaces a file in the user's own folder atomically. Only its owner can read the new file. */
export function replaceOwnText(file: string, text: string): void {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = openSync(beside, 'wx', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(beside, file);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
}

/**
 * Runs work while no other process can change the trust file. The operating system releases the lock if the
 * process ends.
 */
export async function withTrustLock<Result>(file: string, work: () => Result): Promise<Result> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(`${file}.lock`, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
    using lock = new DatabaseSync(`${file}.lock`, { timeout: patience });
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const hint = 'Check who owns the file and its folder, and whether another process has locked the file.';
    throw refusal(`${file} cannot be changed: ${reasonOf(thrown)}.`, hint, thrown);
  }
}

const patience = 10_000; // The maximum time to wait for the lock, in milliseconds.

/**
 * Returns a stamp that changes whenever the file changes. Returns undefined if the file changed so recently
 * that a stamp is unreliable.
 */
export function stampOf(file: string): string | undefined {
  const at = Date.now();
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  const { dev, ino, size, mode, uid, mtimeMs, ctimeMs } = stats;
  const newest = Math.max(mtimeMs, ctimeMs);
  // Some file systems round timestamps to seconds.
  const isFresh = at - newest < (newest % 1000 === 0 ? 2000 : 100);
  return isFresh ? undefined : [dev, ino, size, mode, uid, mtimeMs, ctimeMs].join(' ');
}

/**
 * Returns the text of a file in the user's own folder, or undefined if the file does not exist. Throws
 * `usage.bad-settings` if the file cannot be read or other users can write to it.
 */
export function readOwnText(file: string): string | undefined {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const fault = strangenessOf(fstatSync(handle));
      if (fault === undefined) return readFileSync(handle, 'utf8');
      throw refusal(`${file} ${fault.what}, so nothing in it is trusted.`, fault.hint(file));
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const { code } = thrown as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const what = code === 'ELOOP' ? 'is a link' : `cannot be read: ${reasonOf(thrown)}`;
    const hint = 'Replace it with a file of your own, or remove it.';
    throw refusal(`${file} ${what}, so nothing in it is trusted.`, hint, thrown);
  }
}

interface Strangeness {
  readonly what: string;
  readonly hint: (file: string) => string;
}

function strangenessOf({ uid, mode }: Stats): Strangeness | undefined {
  const own = (): string => 'Replace it with a file of your own, or remove it.';
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { what: 'is not a regular file', hint: own };
  // Without user ids, file modes do not show who can write to a file.
  if (process.getuid === undefined) return undefined;
  if (uid !== process.getuid()) return { what: 'belongs to another user', hint: own };
  if ((mode & 0o022) === 0) return undefined;
  return { what: 'can be written by other users', hint: (file) => `chmod 600 ${file}` };
}

function refusal(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError('usage.bad-settings', message, { hint, cause });
}
