import { sql, type QueryCreator } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { EventRecord } from './event-record.ts';
import type { Tables } from './schema.ts';
import { compile, type Slots, type Statement } from './statement.ts';

/** The statements about runs and their events that have one form for all calls. */
export interface RunStatements {
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
export interface PageRow extends EventRecord {
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
