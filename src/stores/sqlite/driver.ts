import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';

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

/** How long a lock of another process may last, in milliseconds. */
const longestLock = 30_000;

const longestPause = 25; // milliseconds

/** Does synchronous work, again and again while another process holds the lock; the event loop is free in between. */
export async function withPatience<Value>(
  named: string,
  work: () => Value,
  patience = longestLock,
): Promise<Value> {
  const end = performance.now() + patience;
  for (let longest = 1; ; longest = Math.min(longest * 2, longestPause)) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= end) throw toStoreError(thrown, named);
    }
    await delay(1 + Math.random() * (longest - 1));
  }
}

/** Does synchronous work as one write, all or nothing: whatever it throws, and when it gives nothing, nothing was written. */
export function transact<Value>(connection: DatabaseSync, work: () => Value): Value {
  connection.exec('begin immediate');
  try {
    const value = work();
    connection.exec(value === undefined ? 'rollback' : 'commit');
    return value;
  } catch (thrown) {
    if (connection.isTransaction) connection.exec('rollback'); // some failures have ended it already
    throw thrown;
  }
}

/** What SQLite means when another process holds the lock. */
function isBusy(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5; // SQLITE_BUSY in all its forms
}

function isDamaged(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 11; // SQLITE_CORRUPT in all its forms
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
  if (isDamaged(thrown)) {
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
