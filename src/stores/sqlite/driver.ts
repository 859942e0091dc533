import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { retry, type ToRefusal } from '../sql/connection.ts';

/** Loads Node's SQLite module. Suppresses the warning that some versions of Node print on loading. */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Loading is synchronous, so no other warnings are suppressed.
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Options for opening an SQLite file, and its name in error messages. */
export interface SqliteOptions {
  readonly use: 'store' | 'database';
  /** The path of the file, or `memory`, for error messages. */
  readonly location: string;
  /** Whether references between tables are enforced. Defaults to true. */
  readonly hasForeignKeys?: boolean;
  /** The maximum time to wait for another process's lock, in milliseconds. Defaults to 30 seconds. */
  readonly patience?: number;
  /**
   * Recognises changes that SQLite rejected. Without this option, a rejected change is treated as a failure
   * of the database.
   */
  readonly toRefusal?: ToRefusal;
}

/**
 * The default pragmas. The schema in the file is not trusted, because the file may come with a project. A
 * committed transaction survives a power failure.
 */
export const usualPragmas = ['trusted_schema = off', 'journal_mode = wal', 'synchronous = full'];

/** Opens a handle to an existing file or to `:memory:`. */
export async function openHandle(
  file: string,
  options: SqliteOptions,
  pragmas: readonly string[] = usualPragmas,
): Promise<DatabaseSync> {
  const { DatabaseSync } = loadSqlite();
  const whenUnlocked = createWait(options);
  const enableForeignKeyConstraints = options.hasForeignKeys ?? true;
  const open = { timeout: 0, defensive: true, enableForeignKeyConstraints };
  const handle = await whenUnlocked(() => new DatabaseSync(file, open));
  try {
    for (const pragma of pragmas) await whenUnlocked(() => handle.exec(`pragma ${pragma}`));
    return handle;
  } catch (thrown) {
    handle.close();
    throw thrown;
  }
}

/**
 * Runs a synchronous callback. Waits and retries while another process holds the lock. Converts SQLite's
 * errors.
 */
export type WhenUnlocked = <Value>(work: () => Value) => Promise<Value>;

/**
 * Creates a `WhenUnlocked` function for a file. The options set its time limit and the name in its errors.
 */
export function createWait(options: SqliteOptions): WhenUnlocked {
  const { patience } = options;
  const retries = { mayRetry: isBusy, translate: (thrown: unknown) => translate(thrown, options), patience };
  return (work) => retry(work, retries);
}

/** Converts an SQLite error to an error for either a rejected change or a failure of the database. */
export function translate(thrown: unknown, { use, location, toRefusal }: SqliteOptions): AgentError {
  const named = location === 'memory' ? `${use} in memory` : `${use} ${location}`;
  return toRefusal?.(thrown, named) ?? toStoreError(thrown, named);
}

/** SQLite's error code for a database that another connection has locked. */
export const busyCode = 5;
const corruptCode = 11;

function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === busyCode;
}

/** Returns the primary code of an SQLite error, without its extended bits. */
function codeOf(thrown: unknown): number | undefined {
  const { errcode } = (thrown ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Converts an SQLite error to an `AgentError`. `named` is `store /path` or `database /path`. */
export function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  if (isBusy(thrown)) {
    return new AgentError('sandbox.store', `The ${named} was locked by another process for too long.`, {
      hint: 'Find the process that keeps the file open, such as a database viewer, and stop it.',
      cause: thrown,
    });
  }
  if (codeOf(thrown) === corruptCode) {
    return new AgentError('sandbox.store', `The ${named} is damaged: ${reasonOf(thrown)}.`, {
      hint: 'Restore the file from a backup, or move it and its -wal and -shm files elsewhere to start with an empty one.',
      cause: thrown,
    });
  }
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reasonOf(thrown)}.`, {
    hint: 'Check that the file is an SQLite database, that you may write to it and that the disk is not full.',
    cause: thrown,
  });
}
