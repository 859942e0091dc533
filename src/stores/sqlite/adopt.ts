import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { AgentError, silentAfter } from '../../core/index.ts';
import { decodeText } from '../encoding.ts';
import { loadSqlite, transact, withPatience } from './driver.ts';
import { checkForeign, copyForeign } from './foreign-store.ts';
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
  return contentsOf(copy.connection);
}

/**
 * Gives a store a new id, so that nobody who made or copied it knows it. Throws `sandbox.store` while another process
 * uses it, and where it holds something else than what was seen.
 */
export async function claimStore(path: string, id: string, seen: StoreContents): Promise<void> {
  const named = `store ${path}`;
  const { DatabaseSync } = loadSqlite();
  using connection = new DatabaseSync(path, { timeout: 0, defensive: true });
  connection.exec('pragma trusted_schema = off; pragma cell_size_check = on');
  // Only one connection may change this, so nobody else has it open, and the header is written at once.
  await withPatience(named, () => connection.exec('pragma journal_mode = delete'), 5_000);
  checkForeign(connection, path);
  if (JSON.stringify(contentsOf(connection)) !== JSON.stringify(seen))
    throw new AgentError('sandbox.store', `The ${named} was changed while you looked at it.`, {
      hint: 'Look at it again: `skilled runs adopt`',
    });
  chmodSync(path, 0o600);
  writeId(connection, id);
  connection.exec('pragma journal_mode = wal');
}

/** Moves all runs and values from one of the user's stores into another one; throws `sandbox.store` while one of the runs is worked on. */
export async function moveRuns(from: string, to: string): Promise<number> {
  const { DatabaseSync } = loadSqlite();
  using connection = new DatabaseSync(to, { timeout: 5_000, defensive: true });
  connection.prepare('attach database ? as source').run(from);
  const live = connection.prepare("select run_id from source.runs where status = 'running' and beat_at > ?");
  const busy = live.get(Date.now() - silentAfter);
  if (busy !== undefined)
    throw new AgentError('sandbox.store', `Run ${String(busy['run_id'])} in ${from} is in progress.`, {
      hint: 'Let it end, or cancel it, and adopt the store after that: `skilled runs adopt`',
    });
  const moved = transact(connection, () => {
    const { changes } = connection.prepare('insert or ignore into main.runs select * from source.runs').run();
    connection.exec('insert or ignore into main.events select * from source.events');
    connection.exec('insert or replace into main.entries select * from source.entries');
    return Number(changes);
  });
  connection.exec('delete from source.runs; delete from source.entries'); // after the copy is safe
  return moved;
}

function contentsOf(connection: DatabaseSync): StoreContents {
  const count = (sql: string): number =>
    Number(connection.prepare(`select count(*) as found from ${sql}`).get()?.['found']);
  const open = "select run_id from runs where status in ('running', 'waiting')";
  const waiting = connection
    .prepare(
      "select run_id, skill, title from runs where status = 'waiting' order by started_at desc, run_id limit 20",
    )
    .all();
  return {
    runs: count('runs'),
    waiting: waiting.map(({ run_id, skill, title }) => ({
      id: decodeText(String(run_id)),
      skill: decodeText(String(skill)),
      title: decodeText(String(title)),
    })),
    unfinished: count("runs where status = 'running'"),
    approvals: count(`events where type = 'approval.resolved' and run_id in (${open})`),
    answers: count("entries where space like 'answers/%'"),
    memories: count("entries where space like 'memory/%' or space = 'summaries' or space like 'turns/%'"),
  };
}
