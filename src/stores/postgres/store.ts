import type { RunSql, Store } from '../../core/index.ts';
import { compile, type Dialect } from '../sql/dialect.ts';
import { migrate } from '../sql/migrations.ts';
import { fenceOf } from '../sql/statements.ts';
import { createSqlStore, type AppendValues, type WriteAppend } from '../sql/store.ts';
import { openPostgres } from './connection.ts';

/** Options for opening a PostgreSQL store. */
interface PostgresStoreOptions {
  /**
   * The database schema that contains the tables, which is created if it is missing. Defaults to `skilled`.
   */
  readonly schema?: string;
}

/** Opens a store in a PostgreSQL database. Any number of machines can share it. */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const dialect = buildPostgresDialect(options.schema ?? 'skilled');
  const connection = await openPostgres(url, { use: 'store', max: 10, reconnects: true });
  try {
    await migrate(connection, dialect);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return createSqlStore(connection, dialect, buildAppend(dialect));
}

/** Builds the SQL dialect of PostgreSQL, with all tables in `schema`. */
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
    forUpdate: 'for update',
    text: 'text collate "C"',
    list: (json) => `(select value from json_array_elements_text(${json}::json))`,
    pairs: (json) => `(select value ->> 0, value ->> 1 from json_array_elements(${json}::json))`,
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// The id of the migration lock: "skil" in ASCII, which other programs are unlikely to use.
const lock = 1_936_417_644;

/**
 * Creates the schema if it is missing. Checks first, because creating a schema requires a privilege that
 * using an existing one does not.
 */
async function makeSchema(run: RunSql, schema: string): Promise<void> {
  await run({ sql: 'select pg_advisory_xact_lock($1, hashtext($2))', parameters: [lock, schema] });
  const found = await run({ sql: 'select 1 from pg_namespace where nspname = $1', parameters: [schema] });
  if (found.length === 0) await run({ sql: `create schema ${quoted(schema)}`, parameters: [] });
}

/**
 * Builds an append as one statement. Every part of the statement depends on the claim, so a writer without a
 * valid claim writes nothing.
 */
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
        select entry.* from fence, unnest(:savedSpaces::text[], :savedKeys::text[],
          :savedLongKeys::text[], :savedValues::text[]) as entry
        on conflict (space, key) do update set value = excluded.value, expires_at = null),
      dropped as (delete from ${entries} using fence
        where (space, key) in (select * from unnest(:droppedSpaces::text[], :droppedKeys::text[])))
    select seq from fence`,
  );
  return (values) => [append.bind(toColumns(values))];
}

/**
 * Converts the values of an append into one array per column, because the PostgreSQL statement takes arrays.
 */
function toColumns({ fence, records, saved, dropped }: AppendValues) {
  return {
    ...fence,
    versions: records.map(({ v }) => v),
    times: records.map(({ at }) => at),
    frames: records.map(({ frame_id }) => frame_id),
    types: records.map(({ type }) => type),
    bodies: records.map(({ body }) => body),
    savedSpaces: saved.map(({ space }) => space),
    savedKeys: saved.map(({ key }) => key),
    savedLongKeys: saved.map(({ longKey }) => longKey),
    savedValues: saved.map(({ value }) => value),
    droppedSpaces: dropped.map(({ space }) => space),
    droppedKeys: dropped.map(({ key }) => key),
  };
}
