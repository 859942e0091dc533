import { sql, type QueryCreator } from 'kysely';
import { optional, silentAfter, type RunQuery, type RunStatus, type RunSummary } from '../../core/index.ts';
import { decodeText, encodeText, type EventRecord } from '../encoding.ts';
import { runLimitOf } from '../run-record.ts';
import { compile, type Dialect, type RunTable, type Slots, type Statement, type Tables } from './dialect.ts';

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
export function buildRunStatements({ database, now, list, pairs }: Dialect): RunStatements {
  const blank = { seq: 0, status: 'running', skill: '', session_id: '', title: '', prepares: null };
  return {
    claim: compile((slot) =>
      database
        .insertInto('runs')
        .values({
          ...{ run_id: slot('runId'), epoch: slot('epoch'), owner: slot('owner'), ...blank },
          ...{ started_at: now, updated_at: now, beat_at: now },
        })
        .onConflict((conflict) =>
          conflict.column('run_id').doUpdateSet({ epoch: slot('epoch'), owner: slot('owner'), beat_at: now }),
        ),
    ),
    takeFrom: compile((slot) =>
      database
        .updateTable('runs')
        .set({ epoch: slot('epoch'), owner: slot('owner'), beat_at: now })
        .where('run_id', '=', slot('runId'))
        .where('epoch', '=', slot('held'))
        .where('seq', '=', slot('seq'))
        .returning('seq'),
    ),
    beat: compile((slot) =>
      database
        .updateTable('runs')
        .set({ beat_at: now })
        .where(sql<boolean>`(run_id, epoch) in ${pairs(slot('claims'))}`)
        .returning('run_id'),
    ),
    release: compile((slot) =>
      database
        .updateTable('runs')
        .set({ epoch: slot('epoch'), beat_at: 0 })
        .where(sql<boolean>`(run_id, epoch) in ${pairs(slot('claims'))}`),
    ),
    page: compile((slot) =>
      database
        .selectFrom('events')
        .select(['seq', 'v', 'at', 'frame_id', 'type', 'body'])
        .where('run_id', '=', slot('runId'))
        .where('seq', '>=', slot('fromSeq'))
        .orderBy('seq')
        .limit(slot('limit')),
    ),
    remove: compile((slot) =>
      database
        .deleteFrom('runs')
        .where('run_id', 'in', list(slot('runIds')))
        .returning('run_id'),
    ),
    expire: compile((slot) =>
      database
        .deleteFrom('runs')
        .where('status', 'in', ['done', 'failed', 'cancelled'])
        .where('updated_at', '<', slot('before'))
        .returning('run_id'),
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
export function fenceOf(
  query: QueryCreator<Tables>,
  { now }: Pick<Dialect, 'now'>,
  slot: Slots<FenceValues>,
) {
  return query
    .updateTable('runs')
    .set(({ fn, ref, eb }) => ({
      seq: eb('seq', '+', slot('count')),
      status: fn.coalesce(sql<string | null>`${slot('status')}`, ref('status')),
      skill: fn.coalesce(sql<string | null>`${slot('skill')}`, ref('skill')),
      session_id: fn.coalesce(sql<string | null>`${slot('session')}`, ref('session_id')),
      title: fn.coalesce(sql<string | null>`${slot('title')}`, ref('title')),
      prepares: fn.coalesce(sql<string | null>`${slot('prepares')}`, ref('prepares')),
      ...{ updated_at: now, beat_at: now },
    }))
    .where('run_id', '=', slot('runId'))
    .where('epoch', '=', slot('epoch'))
    .returning('seq');
}

/** Compiles the listing that a query asks for, newest first. */
export function buildRunListing(dialect: Dialect, query: RunQuery): Statement<object, RunTable> {
  const { database, now, list } = dialect;
  const { ids, idPrefix, status, session } = query;
  const shown = sql<string>`case when status = 'running' and beat_at < ${now} - ${sql.lit(silentAfter)}
    then 'interrupted' else status end`;

  let listing = database.selectFrom('runs').selectAll().select(shown.as('status'));
  if (ids !== undefined) listing = listing.where('run_id', 'in', list(JSON.stringify(ids.map(encodeText))));
  if (idPrefix !== undefined) {
    const start = encodeText(idPrefix);
    listing = listing.where('run_id', '>=', start).where('run_id', '<', `${start}\u{10ffff}`);
  }
  if (status !== undefined) {
    listing = listing.where('status', 'in', list(JSON.stringify(status.map(storedStatusOf)))); // has an index
    listing = listing.where(shown, 'in', list(JSON.stringify(status)));
  }
  if (session !== undefined) {
    const name = encodeText(session);
    listing = listing.where('session_id', '=', name);
    listing = listing.where(sql<boolean>`substr(session_id, 1, 64) = substr(${name}, 1, 64)`); // has an index
  }
  if (query.preparations !== true && ids === undefined) listing = listing.where('prepares', 'is', null);
  return compile(() =>
    listing.orderBy('started_at', 'desc').orderBy('run_id', 'desc').limit(runLimitOf(query)),
  );
}

function storedStatusOf(status: RunStatus): string {
  return status === 'interrupted' ? 'running' : status;
}

/** The summary that a row of a listing holds. */
export function toSummary(row: RunTable): RunSummary {
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
