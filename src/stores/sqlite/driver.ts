import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { retry, type ToRefusal } from '../sql/connection.ts';

/** Node's SQLite, loaded without the warning that some versions print to stderr about it. */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // only while the module loads, which is at once
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** How a file is used, and what errors call it. */
export interface SqliteOptions {
  readonly use: 'store' | 'database';
  /** The path of the file, or `memory`. */
  readonly place: string;
  /** Whether references between tables are enforced; true by default. */
  readonly hasForeignKeys?: boolean;
  /** How long another process may hold the lock, in milliseconds; 30 seconds by default. */
  readonly patience?: number;
  /** Without it, every refusal is a failure of the database. */
  readonly toRefusal?: ToRefusal;
}

/** A project may have brought the file, and a commit that has returned survives a loss of power. */
export const usualPragmas = ['trusted_schema = off', 'journal_mode = wal', 'synchronous = full'];

/** Opens a file, which must exist, or `:memory:`. */
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

/** Does synchronous work once no other process holds the lock; translates what it throws. */
export type WhenUnlocked = <Value>(work: () => Value) => Promise<Value>;

/** Waits as these options say. */
export function createWait(options: SqliteOptions): WhenUnlocked {
  const { patience } = options;
  const retries = { mayRetry: isBusy, translate: (thrown: unknown) => translate(thrown, options), patience };
  return (work) => retry(work, retries);
}

/** What SQLite threw, as a refusal of a change or as a failure of the database. */
export function translate(thrown: unknown, { use, place, toRefusal }: SqliteOptions): AgentError {
  const named = place === 'memory' ? `${use} in memory` : `${use} ${place}`;
  return toRefusal?.(thrown, named) ?? toStoreError(thrown, named);
}

/** SQLite's code for a lock that somebody else holds. */
export const busyCode = 5;
const corruptCode = 11;

function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === busyCode;
}

/** The primary code of a failure of SQLite, for all of its extended codes. */
function codeOf(thrown: unknown): number | undefined {
  const { errcode } = (thrown ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** A failure of SQLite as one of ours; what it is about is named as `store /path` or `database /path`. */
export function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  if (isBusy(thrown)) {
    return new AgentError('sandbox.store', `The ${named} was locked by another process for too long.`, {
      hint: 'Find out which process keeps the file open, for example with a viewer for databases, and end it.',
      cause: thrown,
    });
  }
  if (codeOf(thrown) === corruptCode) {
    return new AgentError('sandbox.store', `The ${named} is damaged: ${reasonOf(thrown)}.`, {
      hint: 'Restore the file from a backup, or move it away, with those beside it, and begin with an empty one.',
      cause: thrown,
    });
  }
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reasonOf(thrown)}.`, {
    hint: 'Check that the file is a database of SQLite, that you may write to it and that the disk is not full.',
    cause: thrown,
  });
}
