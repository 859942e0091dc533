import { optional, silentAfter, type RunQuery, type RunStatus, type RunSummary } from '../../core/index.ts';
import { decodeText, encodeText, type EventRecord } from '../encoding.ts';
import { runLimitOf } from '../run-record.ts';
import type { BoundStatement } from './connection.ts';
import { compile, type Dialect, type Statement } from './dialect.ts';

/** The statements about runs and their events that have one form for all calls. */
interface RunStatements {
  readonly claim: Statement<{ runId: string; epoch: string; owner: string }, unknown>;
  /** Gives a row where the epoch was held and nothing was written. */
  readonly takeFrom: Statement<
    { runId: string; epoch: string; owner: string; held: string; seq: number },
    { seq: number }
  >;
  readonly beat: Statement<{ claims: string }, { run_id: string }>;
  /** The epoch is one that nobody is given. */
  readonly release: Statement<{ claims: string; epoch: string }, unknown>;
  readonly page: Statement<{ runId: string; fromSeq: number; limit: number }, PageRow>;
  readonly remove: Statement<{ runIds: string }, { run_id: string }>;
  readonly expire: Statement<{ before: number }, { run_id: string }>;
}

/** One event of a page. */
interface PageRow extends EventRecord {
  readonly seq: number;
}

/** Compiles the statements about runs; lists are JSON arrays. */
export function buildRunStatements(dialect: Dialect): RunStatements {
  const { now, list, pairs } = dialect;
  const [runs, events] = [dialect.table('runs'), dialect.table('events')];
  return {
    claim: compile(
      dialect,
      `insert into ${runs} (run_id, epoch, owner, seq, status, skill, session_id, title, started_at, updated_at, beat_at)
        values (:runId, :epoch, :owner, 0, 'running', '', '', '', ${now}, ${now}, ${now})
        on conflict (run_id) do update set epoch = excluded.epoch, owner = excluded.owner, beat_at = excluded.beat_at`,
    ),
    takeFrom: compile(
      dialect,
      `update ${runs} set epoch = :epoch, owner = :owner, beat_at = ${now}
        where run_id = :runId and epoch = :held and seq = :seq returning seq`,
    ),
    beat: compile(
      dialect,
      `update ${runs} set beat_at = ${now} where (run_id, epoch) in ${pairs(':claims')} returning run_id`,
    ),
    release: compile(
      dialect,
      `update ${runs} set epoch = :epoch, beat_at = 0 where (run_id, epoch) in ${pairs(':claims')}`,
    ),
    page: compile(
      dialect,
      `select seq, v, at, frame_id, type, body from ${events}
        where run_id = :runId and seq >= :fromSeq order by seq limit :limit`,
    ),
    remove: compile(dialect, `delete from ${runs} where run_id in ${list(':runIds')} returning run_id`),
    expire: compile(
      dialect,
      `delete from ${runs} where status in ('done', 'failed', 'cancelled') and updated_at < :before returning run_id`,
    ),
  };
}

/** What the first part of an append needs; null leaves a column as it is. */
export interface FenceValues {
  readonly runId: string;
  readonly epoch: string;
  readonly count: number;
  readonly status: string | null;
  readonly skill: string | null;
  readonly session: string | null;
  readonly title: string | null;
  readonly prepares: string | null;
}

/** The first part of an append: moves the end of the run on and gives it, or no row when the epoch does not hold. */
export function fenceOf({ table, now }: Dialect): string {
  return `update ${table('runs')} set seq = seq + :count, status = coalesce(:status, status),
    skill = coalesce(:skill, skill), session_id = coalesce(:session, session_id),
    title = coalesce(:title, title), prepares = coalesce(:prepares, prepares),
    updated_at = ${now}, beat_at = ${now}
    where run_id = :runId and epoch = :epoch returning seq`;
}

/** The listing that a query asks for, newest first; its rows are `RunRow`s. */
export function buildRunListing(dialect: Dialect, query: RunQuery): BoundStatement {
  const { now, list } = dialect;
  const { ids, idPrefix, status, session } = query;
  const start = encodeText(idPrefix ?? '');
  const shown = `case when status = 'running' and beat_at < ${now} - ${silentAfter} then 'interrupted' else status end`;
  const conditions = [
    ids !== undefined && `run_id in ${list(':ids')}`,
    idPrefix !== undefined && 'run_id >= :start and run_id < :end',
    // The stored status and the beginning of the session have an index.
    status !== undefined && `status in ${list(':stored')} and ${shown} in ${list(':status')}`,
    session !== undefined && 'session_id = :session and substr(session_id, 1, 64) = substr(:session, 1, 64)',
    query.preparations !== true && ids === undefined && 'prepares is null',
  ].filter((condition) => condition !== false);
  const listing = compile(
    dialect,
    `select run_id, epoch, seq, ${shown} as status, skill, session_id, title, prepares, owner, started_at, updated_at, beat_at
      from ${dialect.table('runs')} ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
      order by started_at desc, run_id desc limit :limit`,
  );
  return listing.bind({
    ...{ ids: JSON.stringify(ids?.map(encodeText) ?? []), start, end: `${start}\u{10ffff}` },
    ...{ stored: JSON.stringify(status?.map(storedStatusOf) ?? []), status: JSON.stringify(status ?? []) },
    ...{ session: encodeText(session ?? ''), limit: runLimitOf(query) },
  });
}

function storedStatusOf(status: RunStatus): string {
  return status === 'interrupted' ? 'running' : status;
}

/** One row of a listing; what the events of a run say of it is in its row too, so that listings need no events. */
export interface RunRow {
  readonly run_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly status: string;
  readonly skill: string;
  readonly session_id: string;
  readonly title: string;
  readonly prepares: string | null;
  readonly owner: string;
  readonly started_at: number;
  readonly updated_at: number;
  readonly beat_at: number;
}

/** The summary that a row of a listing holds. */
export function toSummary(row: RunRow): RunSummary {
  return {
    id: decodeText(row.run_id),
    skill: decodeText(row.skill),
    session: decodeText(row.session_id),
    title: decodeText(row.title),
    status: row.status as RunStatus,
    ...optional('prepares', row.prepares === null ? undefined : decodeText(row.prepares)),
    seq: row.seq,
    epoch: row.epoch,
    owner: decodeText(row.owner),
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    beatAt: row.beat_at,
  };
}
