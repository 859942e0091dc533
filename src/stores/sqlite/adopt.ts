import { chmodSync } from 'node:fs';
import { AgentError, silentAfter, type SqlStatement } from '../../core/index.ts';
import { decodeText } from '../encoding.ts';
import { execute, type SqlConnection } from '../sql/connection.ts';
import { migrate } from '../sql/migrations.ts';
import { connectSqlite, openSqlite } from './connection.ts';
import { openHandle, type SqliteOptions } from './driver.ts';
import { checkForeign, copyForeign, foreignPragmas } from './foreign-store.ts';
import { writeId } from './store-file.ts';
import { sqliteDialect } from './store.ts';

/**
 * A summary of a store's contents. The user reviews it before the store's questions, approvals and memory
 * take effect.
 */
export interface StoreContents {
  readonly runs: number;
  /** The newest runs, up to 20, that are waiting for an answer or a decision. */
  readonly waiting: readonly { readonly id: string; readonly skill: string; readonly title: string }[];
  /** The number of unfinished runs that can be resumed without an answer. */
  readonly unfinished: number;
  /** The number of approvals in runs that have not ended. */
  readonly approvals: number;
  /** The number of answers and decisions that no run has used yet. */
  readonly answers: number;
  /** The number of values in session memory. */
  readonly memories: number;
}

/** Inspects a private copy of a store of unknown origin. Throws `sandbox.store` if the store is invalid. */
export async function inspectStore(path: string): Promise<StoreContents> {
  await using copy = await copyForeign(path);
  return await contentsOf(copy.connection);
}

/**
 * Gives a store a new id, which distinguishes it from earlier copies. Throws `sandbox.store` if another
 * process is using the store, or if the store's contents differ from `expected`.
 */
export async function claimStore(path: string, id: string, expected: StoreContents): Promise<void> {
  const options: SqliteOptions = { use: 'store', location: path, patience: 5_000 };
  // Changing the journal mode requires exclusive access, so no other process has the file open when the new
  // id is written.
  using handle = await openHandle(path, options, foreignPragmas);
  const connection = connectSqlite(options, handle);
  await checkForeign(connection);
  if (JSON.stringify(await contentsOf(connection)) !== JSON.stringify(expected))
    throw new AgentError('sandbox.store', `The store ${path} changed while it was being inspected.`, {
      hint: 'Run `skilled runs adopt` again.',
    });
  chmodSync(path, 0o600);
  writeId(handle, id);
  handle.exec('pragma journal_mode = wal');
}

/**
 * Moves all runs and values to another store that belongs to the user. Resolves to the number of moved runs.
 * Throws `sandbox.store` if a run is in progress.
 */
export async function moveRuns(from: string, to: string): Promise<number> {
  for (const path of [from, to]) await updateTables(path);
  const options: SqliteOptions = { use: 'store', location: to };
  using handle = await openHandle(to, options);
  const connection = connectSqlite(options, handle);
  await execute(connection, 'attach database ? as source', from);
  const live = "select run_id from source.runs where status = 'running' and beat_at > ? limit 1";
  const [busy] = await execute(connection, live, Date.now() - silentAfter);
  if (busy !== undefined)
    throw new AgentError('sandbox.store', `Run ${String(busy['run_id'])} in ${from} is in progress.`, {
      hint: 'Cancel it or wait until it ends, then run `skilled runs adopt`.',
    });
  const [moved = []] = await connection.batch([
    plain('insert or ignore into main.runs select * from source.runs returning run_id'),
    plain('insert or ignore into main.events select * from source.events'),
    plain('insert or replace into main.entries select * from source.entries'),
  ]);
  // Empty the source only after the copy has been committed.
  await connection.batch([plain('delete from source.runs'), plain('delete from source.entries')]);
  return moved.length;
}

/** Brings a store of an earlier release to the current tables, so that both stores have the same columns. */
async function updateTables(path: string): Promise<void> {
  const connection = await openSqlite(path, { use: 'store', location: path });
  try {
    await migrate(connection, sqliteDialect);
  } finally {
    await connection.close();
  }
}

function plain(sql: string): SqlStatement {
  return { sql, parameters: [] };
}

async function contentsOf(connection: SqlConnection): Promise<StoreContents> {
  const count = async (sql: string): Promise<number> =>
    Number((await execute(connection, `select count(*) as found from ${sql}`))[0]?.['found']);
  const open = "select run_id from runs where status in ('running', 'waiting')";
  const waiting = await execute(
    connection,
    "select run_id, skill, title from runs where status = 'waiting' order by started_at desc, run_id limit 20",
  );
  return {
    runs: await count('runs'),
    waiting: waiting.map(({ run_id, skill, title }) => ({
      id: decodeText(String(run_id)),
      skill: decodeText(String(skill)),
      title: decodeText(String(title)),
    })),
    unfinished: await count("runs where status = 'running'"),
    approvals: await count(`events where type = 'approval.resolved' and run_id in (${open})`),
    answers: await count("entries where space like 'answers/%'"),
    memories: await count(
      "entries where space like 'memory/%' or space = 'summaries' or space like 'turns/%'",
    ),
  };
}
