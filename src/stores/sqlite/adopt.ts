import { chmodSync } from 'node:fs';
import { AgentError, silentAfter, type SqlStatement } from '../../core/index.ts';
import { decodeText } from '../encoding.ts';
import { execute, type SqlConnection } from '../sql/connection.ts';
import { connectSqlite } from './connection.ts';
import { openHandle, type SqliteOptions } from './driver.ts';
import { checkForeign, copyForeign, foreignPragmas } from './foreign-store.ts';
import { writeId } from './store-file.ts';

/** What somebody should know about a store before its questions, approvals and memory count. */
export interface StoreContents {
  readonly runs: number;
  /** Runs that ask for an answer or a decision, newest first; at most 20. */
  readonly waiting: readonly { readonly id: string; readonly skill: string; readonly title: string }[];
  /** Runs that could be resumed without an answer. */
  readonly unfinished: number;
  /** Approvals in runs that have not ended. */
  readonly approvals: number;
  /** Answers and decisions that no run has taken yet. */
  readonly answers: number;
  /** Values that sessions remember. */
  readonly memories: number;
}

/** Looks at a store that somebody else may have made, through a private copy; throws `sandbox.store` for one that cannot be used. */
export async function inspectStore(path: string): Promise<StoreContents> {
  await using copy = await copyForeign(path);
  return await contentsOf(copy.connection);
}

/**
 * Gives a store a new id, so that nobody who made or copied it knows it. Throws `sandbox.store` while another process
 * uses it, and where it holds something else than what was seen.
 */
export async function claimStore(path: string, id: string, seen: StoreContents): Promise<void> {
  const options: SqliteOptions = { use: 'store', place: path, patience: 5_000 };
  // Only one connection may change its journal, so nobody else has it open, and the header is written at once.
  using handle = await openHandle(path, options, foreignPragmas);
  const connection = connectSqlite(options, handle);
  await checkForeign(connection);
  if (JSON.stringify(await contentsOf(connection)) !== JSON.stringify(seen))
    throw new AgentError('sandbox.store', `The store ${path} was changed while you looked at it.`, {
      hint: 'Look at it again: `skilled runs adopt`',
    });
  chmodSync(path, 0o600);
  writeId(handle, id);
  handle.exec('pragma journal_mode = wal');
}

/** Moves all runs and values from one of the user's stores into another one; throws `sandbox.store` while one of the runs is worked on. */
export async function moveRuns(from: string, to: string): Promise<number> {
  const options: SqliteOptions = { use: 'store', place: to };
  using handle = await openHandle(to, options);
  const connection = connectSqlite(options, handle);
  await execute(connection, 'attach database ? as source', from);
  const live = "select run_id from source.runs where status = 'running' and beat_at > ? limit 1";
  const [busy] = await execute(connection, live, Date.now() - silentAfter);
  if (busy !== undefined)
    throw new AgentError('sandbox.store', `Run ${String(busy['run_id'])} in ${from} is in progress.`, {
      hint: 'Let it end, or cancel it, and adopt the store after that: `skilled runs adopt`',
    });
  const [moved = []] = await connection.batch([
    plain('insert or ignore into main.runs select * from source.runs returning run_id'),
    plain('insert or ignore into main.events select * from source.events'),
    plain('insert or replace into main.entries select * from source.entries'),
  ]);
  // After the copy is safe.
  await connection.batch([plain('delete from source.runs'), plain('delete from source.entries')]);
  return moved.length;
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
