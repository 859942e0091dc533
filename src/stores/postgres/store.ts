import type { RunSql, Store } from '../../core/index.ts';
import { compile, type Dialect } from '../sql/dialect.ts';
import { migrate } from '../sql/migrations.ts';
import { fenceOf } from '../sql/statements.ts';
import { createSqlStore, type AppendValues, type WriteAppend } from '../sql/store.ts';
import { openPostgres } from './connection.ts';

/** How a PostgreSQL store is opened. */
interface PostgresStoreOptions {
  /** The schema that holds its tables, made when missing; `skilled` unless given. */
  readonly schema?: string;
}

/** Opens a store in a PostgreSQL database, which any number of machines may share. */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const dialect = buildPostgresDialect(options.schema ?? 'skilled');
  const connection = await openPostgres(url, { use: 'store', max: 10 });
  try {
    await migrate(connection, dialect);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return createSqlStore(connection, dialect, buildAppend(dialect));
}

/** The SQL of PostgreSQL, with all tables in this schema. */
export function buildPostgresDialect(schema: string): Dialect {
  return {
    mark: (position) => `$${position}`,
    table: (name) => `${quoted(schema)}."${name}"`,
    findMigrations: {
      sql: "select 1 from pg_tables where schemaname = $1 and tablename = 'migrations'",
      parameters: [schema],
    },
    prepare: (run) => makeSchema(run, schema),
    now: 'floor(extract(epoch from now()) * 1000)::double precision',
    text: 'text collate "C"',
    list: (json) => `(select value from json_array_elements_text(${json}::json))`,
    pairs: (json) => `(select value ->> 0, value ->> 1 from json_array_elements(${json}::json))`,
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const lock = 1_936_417_644; // any number that others do not use: "skil"

/** Asks before it makes the schema: that needs a right which using it does not. */
async function makeSchema(run: RunSql, schema: string): Promise<void> {
  await run({ sql: 'select pg_advisory_xact_lock($1, hashtext($2))', parameters: [lock, schema] });
  const found = await run({ sql: 'select 1 from pg_namespace where nspname = $1', parameters: [schema] });
  if (found.length === 0) await run({ sql: `create schema ${quoted(schema)}`, parameters: [] });
}

/** An append as one statement: everything in it is taken from the fence, so a stale writer, whose fence is empty, writes nothing. */
function buildAppend(dialect: Dialect): WriteAppend {
  const [events, entries] = [dialect.table('events'), dialect.table('entries')];
  const append = compile<ReturnType<typeof toColumns>>(
    dialect,
    `with fence as (${fenceOf(dialect)}),
      added as (insert into ${events} (run_id, seq, v, at, frame_id, type, body)
        select :runId::text, fence.seq - :count::integer + fact.place::integer,
          fact.v, fact.at, fact.frame_id, fact.type, fact.body
        from fence, unnest(:versions::integer[], :times::double precision[],
          :frames::text[], :types::text[], :bodies::text[])
          with ordinality as fact(v, at, frame_id, type, body, place)),
      kept as (insert into ${entries} (space, key, long_key, value)
        select entry.* from fence, unnest(:keptSpaces::text[], :keptKeys::text[],
          :keptLongKeys::text[], :keptValues::text[]) as entry
        on conflict (space, key) do update set value = excluded.value, expires_at = null),
      dropped as (delete from ${entries} using fence
        where (space, key) in (select * from unnest(:droppedSpaces::text[], :droppedKeys::text[])))
    select seq from fence`,
  );
  return (values) => [append.bind(toColumns(values))];
}

/** The values of an append as PostgreSQL takes them: one array for each column. */
function toColumns({ fence, records, kept, dropped }: AppendValues) {
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
