import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { retry, type ToRefusal } from '../sql/connection.ts';

/** Loads Node's SQLite without the warning that some versions print to stderr. */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Loading is synchronous, so other warnings are not suppressed.
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Options for opening an SQLite file, including its name for error messages. */
export interface SqliteOptions {
  readonly use: 'store' | 'database';
  /** The path of the file, or `memory`, as shown in error messages. */
  readonly location: string;
  /** Whether references between tables are enforced; true by default. */
  readonly hasForeignKeys?: boolean;
  /** The time in milliseconds to wait for another process's lock. 30 seconds by default. */
  readonly patience?: number;
  /** Recognizes changes that SQLite rejected. By default, they count as database failures. */
  readonly toRefusal?: ToRefusal;
}

/** The default pragmas. A project can supply the file, so it is not trusted. Commits survive a power loss. */
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

/** Runs a synchronous callback, waiting while another process holds the lock. Translates SQLite's errors. */
export type WhenUnlocked = <Value>(work: () => Value) => Promise<Value>;

/** Creates a `WhenUnlocked` that uses the timeout and the name for error messages from these options. */
export function createWait(options: SqliteOptions): WhenUnlocked {
  const { patience } = options;
  const retries = { mayRetry: isBusy, translate: (thrown: unknown) => translate(thrown, options), patience };
  return (work) => retry(work, retries);
}

/** Translates an SQLite error to a rejected change or a database failure. */
export function translate(thrown: unknown, { use, location, toRefusal }: SqliteOptions): AgentError {
  const named = location === 'memory' ? `${use} in memory` : `${use} ${location}`;
  return toRefusal?.(thrown, named) ?? toStoreError(thrown, named);
}

/** SQLite's error code for a lock held by another connection. */
export const busyCode = 5;
const corruptCode = 11;

function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === busyCode;
}

/** Returns an SQLite failure's primary error code, without the extended part. */
function codeOf(thrown: unknown): number | undefined {
  const { errcode } = (thrown ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Converts an SQLite failure to an `AgentError`. `named` is `store /path` or `database /path`. */
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
