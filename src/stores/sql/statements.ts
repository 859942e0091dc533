import { optional, silentAfter, type RunQuery, type RunStatus, type RunSummary } from '../../core/index.ts';
import { decodeText, encodeText, type EventRecord } from '../encoding.ts';
import { runLimitOf } from '../run-record.ts';
import type { BoundStatement } from './connection.ts';
import { compile, type Dialect } from './dialect.ts';

type Claim = { readonly runId: string; readonly epoch: string; readonly owner: string };
type Id = { readonly run_id: string };

const mayRepeat = { mayRepeat: true };

/** Compiles the statements for runs and events. Lists are passed as JSON arrays. */
export function buildRunStatements(dialect: Dialect) {
  const { now, list, pairs } = dialect;
  const [runs, events] = [dialect.table('runs'), dialect.table('events')];
  return {
    claim: compile<Claim>(
      dialect,
      `insert into ${runs} (run_id, epoch, owner, seq, status, skill, session_id, title, started_at, updated_at, beat_at)
        values (:runId, :epoch, :owner, 0, 'running', '', '', '', ${now}, ${now}, ${now})
        on conflict (run_id) do update set epoch = excluded.epoch, owner = excluded.owner, beat_at = excluded.beat_at`,
      mayRepeat,
    ),
    /** Returns a row if the claim is valid. */
    isCurrent: compile<Pick<Claim, 'runId' | 'epoch'>>(
      dialect,
      `select 1 from ${runs} where run_id = :runId and epoch = :epoch`,
    ),
    /**
     * Replaces a claim. Returns a row if `held` is still the current epoch and there are no events after
     * `seq`.
     */
    takeFrom: compile<Claim & { held: string; seq: number }, { seq: number }>(
      dialect,
      `update ${runs} set epoch = :epoch, owner = :owner, beat_at = ${now}
        where run_id = :runId and epoch in (:held, :epoch) and seq = :seq returning seq`,
      mayRepeat,
    ),
    beat: compile<{ claims: string }, Id>(
      dialect,
      `update ${runs} set beat_at = ${now} where (run_id, epoch) in ${pairs(':claims')} returning run_id`,
      mayRepeat,
    ),
    /** Releases claims by setting the epoch to a value that no writer has. */
    release: compile<{ claims: string; epoch: string }>(
      dialect,
      `update ${runs} set epoch = :epoch, beat_at = 0 where (run_id, epoch) in ${pairs(':claims')}`,
      mayRepeat,
    ),
    page: compile<{ runId: string; fromSeq: number; limit: number }, EventRecord & { seq: number }>(
      dialect,
      `select seq, v, at, frame_id, type, body from ${events}
        where run_id = :runId and seq >= :fromSeq order by seq limit :limit`,
      mayRepeat,
    ),
    remove: compile<{ runIds: string }, Id>(
      dialect,
      `delete from ${runs} where run_id in ${list(':runIds')} returning run_id`,
    ),
    expire: compile<{ before: number }, Id>(
      dialect,
      `delete from ${runs} where status in ('done', 'failed', 'cancelled') and updated_at < :before returning run_id`,
    ),
  };
}

/** The space and key that identify a value. */
export interface Address {
  readonly space: string;
  readonly key: string;
}

/** A value to store. If `ttlMs` is null, the value never expires. */
export interface NewValue extends Address {
  /** The original key if it is too long to be stored as `key`, otherwise null. */
  readonly longKey: string | null;
  /** The value as JSON text. */
  readonly value: string;
  readonly ttlMs: number | null;
}

/** Compiles the statements for stored values. */
export function buildValueStatements(dialect: Dialect) {
  const { now, forUpdate } = dialect;
  const entries = dialect.table('entries');
  const isAlive = `(expires_at is null or expires_at > ${now})`;
  const put = `insert into ${entries} (space, key, long_key, value, expires_at)
    values (:space, :key, :longKey, :value, ${now} + cast(:ttlMs as double precision))
    on conflict (space, key) do update set value = excluded.value, expires_at = excluded.expires_at`;
  return {
    get: compile<Address, { value: string }>(
      dialect,
      `select value from ${entries} where space = :space and key = :key and ${isAlive}`,
      mayRepeat,
    ),
    /**
     * Reads a value and locks it until the transaction ends, because a later statement in the transaction
     * replaces the value.
     */
    hold: compile<Address, { value: string }>(
      dialect,
      `select value from ${entries} where space = :space and key = :key and ${isAlive} ${forUpdate}`,
    ),
    set: compile<NewValue>(dialect, put, mayRepeat),
    /**
     * Replaces a value. Returns a row if the stored value was the expected one. `drop` deletes a value in the
     * same way.
     */
    replace: compile<NewValue & { expected: string }>(
      dialect,
      `update ${entries} set value = :value, expires_at = ${now} + cast(:ttlMs as double precision)
        where space = :space and key = :key and value = :expected and ${isAlive} returning key`,
    ),
    drop: compile<Address & { expected: string }>(
      dialect,
      `delete from ${entries}
        where space = :space and key = :key and value = :expected and ${isAlive} returning key`,
    ),
    /** Adds a value. Returns a row if the key had no value or only an expired one. */
    add: compile<NewValue>(dialect, `${put} where ${entries}.expires_at <= ${now} returning key`),
    delete: compile<Address>(
      dialect,
      `delete from ${entries} where space = :space and key = :key`,
      mayRepeat,
    ),
    clear: compile<{ space: string }>(dialect, `delete from ${entries} where space = :space`, mayRepeat),
    entries: compile<{ space: string }, { key: string; long_key: string | null; value: string }>(
      dialect,
      `select key, long_key, value from ${entries} where space = :space and ${isAlive}`,
      mayRepeat,
    ),
    expire: compile<object>(dialect, `delete from ${entries} where expires_at <= ${now}`),
  };
}

/** The values of an append's first statement. A null value leaves its column unchanged. */
export interface FenceValues {
  readonly runId: string;
  readonly epoch: string;
  readonly count: number;
  readonly status: string | null;
  readonly skill: string | null;
  readonly session: string | null;
  readonly title: string | null;
  readonly prepares: string | null;
  readonly user: string | null;
}

/**
 * Returns the first statement of an append, which increases the run's `seq`. It returns no row if the epoch
 * is no longer current.
 */
export function fenceOf({ table, now }: Dialect): string {
  return `update ${table('runs')} set seq = seq + :count, status = coalesce(:status, status),
    skill = coalesce(:skill, skill), session_id = coalesce(:session, session_id),
    title = coalesce(:title, title), prepares = coalesce(:prepares, prepares),
    user_key = coalesce(:user, user_key), updated_at = ${now}, beat_at = ${now}
    where run_id = :runId and epoch = :epoch returning seq`;
}

/**
 * Like `fenceOf`, for events that change nothing else of the run. SQLite writes every index with a column that
 * an update names, even if its value stays the same.
 */
export function briefFenceOf({ table, now }: Dialect): string {
  return `update ${table('runs')} set seq = seq + :count, updated_at = ${now}, beat_at = ${now}
    where run_id = :runId and epoch = :epoch returning seq`;
}

/**
 * Builds the statement that lists the runs that match a query, newest first. It returns rows of type
 * `RunRow`.
 */
export function buildRunListing(dialect: Dialect, query: RunQuery): BoundStatement {
  const { now, list } = dialect;
  const { ids, idPrefix, status, session, user, after } = query;
  const start = encodeText(idPrefix ?? '');
  const shown = `case when status = 'running' and beat_at < ${now} - ${silentAfter} then 'interrupted' else status end`;
  const conditions = [
    ids !== undefined && `run_id in ${list(':ids')}`,
    idPrefix !== undefined && 'run_id >= :start and run_id < :end',
    // The conditions on status and session are redundant, but the database needs them to use its indexes.
    status !== undefined && `status in ${list(':stored')} and ${shown} in ${list(':status')}`,
    session !== undefined && 'session_id = :session and substr(session_id, 1, 64) = substr(:session, 1, 64)',
    user !== undefined && 'user_key = :user',
    after !== undefined && '(started_at, run_id) < (:at, :last)',
    query.preparations !== true && ids === undefined && 'prepares is null',
  ].filter((condition) => condition !== false);
  const listing = compile(
    dialect,
    `select run_id, epoch, seq, ${shown} as status, skill, session_id, title, prepares, user_key, owner, started_at, updated_at, beat_at
      from ${dialect.table('runs')} ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
      order by started_at desc, run_id desc limit :limit`,
    mayRepeat,
  );
  return listing.bind({
    ids: JSON.stringify(ids?.map(encodeText) ?? []),
    start,
    end: `${start}\u{10ffff}`,
    stored: JSON.stringify(status?.map(storedStatusOf) ?? []),
    status: JSON.stringify(status ?? []),
    session: encodeText(session ?? ''),
    user: encodeText(user ?? ''),
    at: after?.startedAt ?? 0,
    last: encodeText(after?.id ?? ''),
    limit: runLimitOf(query),
  });
}

function storedStatusOf(status: RunStatus): string {
  return status === 'interrupted' ? 'running' : status;
}

/**
 * A row in a list of runs. It duplicates data from the run's events, so listing runs does not read events.
 */
export interface RunRow {
  readonly run_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly status: string;
  readonly skill: string;
  readonly session_id: string;
  readonly title: string;
  readonly prepares: string | null;
  readonly user_key: string | null;
  readonly owner: string;
  readonly started_at: number;
  readonly updated_at: number;
  readonly beat_at: number;
}

/** Converts a row to a run summary. */
export function toSummary(row: RunRow): RunSummary {
  return {
    id: decodeText(row.run_id),
    skill: decodeText(row.skill),
    session: decodeText(row.session_id),
    title: decodeText(row.title),
    status: row.status as RunStatus,
    ...optional('prepares', row.prepares === null ? undefined : decodeText(row.prepares)),
    ...optional('user', row.user_key === null ? undefined : decodeText(row.user_key)),
    seq: row.seq,
    epoch: row.epoch,
    owner: decodeText(row.owner),
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    beatAt: row.beat_at,
  };
}
