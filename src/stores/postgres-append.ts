import { sql } from 'kysely';
import type { AppendValues } from './append-values.ts';
import type { Dialect } from './dialect.ts';
import { fenceOf, type FenceValues } from './run-statements.ts';
import { compile, type Statement } from './statement.ts';

/** The values of an append as PostgreSQL takes them: one array for each column. */
export interface AppendColumns extends FenceValues {
  readonly versions: readonly number[];
  readonly times: readonly number[];
  readonly frames: readonly string[];
  readonly types: readonly string[];
  readonly bodies: readonly string[];
  readonly keptSpaces: readonly string[];
  readonly keptKeys: readonly string[];
  readonly keptLongKeys: readonly (string | null)[];
  readonly keptValues: readonly string[];
  readonly droppedSpaces: readonly string[];
  readonly droppedKeys: readonly string[];
}

/** An append as one statement: everything in it is taken from the fence, so a stale writer, whose fence is empty, writes nothing. */
export function buildAppend(dialect: Dialect): Statement<AppendColumns, { seq: number }> {
  return compile((slot) =>
    dialect.database
      .with('fence', (query) => fenceOf(query, dialect, (name) => slot(name)))
      .with('added', (query) =>
        query
          .insertInto('events')
          .columns(['run_id', 'seq', 'v', 'at', 'frame_id', 'type', 'body'])
          .expression(
            sql`select ${slot('runId')}::text, fence.seq - ${slot('count')}::integer + fact.place::integer,
              fact.v, fact.at, fact.frame_id, fact.type, fact.body
              from fence, unnest(${slot('versions')}::integer[], ${slot('times')}::double precision[],
                ${slot('frames')}::text[], ${slot('types')}::text[], ${slot('bodies')}::text[])
              with ordinality as fact(v, at, frame_id, type, body, place)`,
          ),
      )
      .with('kept', (query) =>
        query
          .insertInto('entries')
          .columns(['space', 'key', 'long_key', 'value'])
          .expression(
            sql`select entry.* from fence, unnest(${slot('keptSpaces')}::text[], ${slot('keptKeys')}::text[],
                ${slot('keptLongKeys')}::text[], ${slot('keptValues')}::text[]) as entry`,
          )
          .onConflict((conflict) =>
            conflict
              .columns(['space', 'key'])
              .doUpdateSet((eb) => ({ value: eb.ref('excluded.value'), expires_at: null })),
          ),
      )
      .with('dropped', (query) =>
        query
          .deleteFrom('entries')
          .using('fence')
          .where(
            sql<boolean>`(space, key) in
              (select * from unnest(${slot('droppedSpaces')}::text[], ${slot('droppedKeys')}::text[]))`,
          ),
      )
      .selectFrom('fence')
      .select('seq'),
  );
}

/** Turns what an append writes into columns. */
export function toColumns({ fence, records, kept, dropped }: AppendValues): AppendColumns {
  return {
    ...fence,
    versions: records.map(({ v }) => v),
    times: records.map(({ at }) => at),
    frames: records.map(({ frame_id }) => frame_id),
    types: records.map(({ type }) => type),
    bodies: records.map(({ body }) => body),
    keptSpaces: kept.map(({ space }) => space),
    keptKeys: kept.map(({ key }) => key),
    keptLongKeys: kept.map(({ longKey }) => longKey),
    keptValues: kept.map(({ value }) => value),
    droppedSpaces: dropped.map(({ space }) => space),
    droppedKeys: dropped.map(({ key }) => key),
  };
}
