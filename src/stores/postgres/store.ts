import type { ClientBase } from 'pg';
import type { Store } from '../../core/index.ts';
import type { AppendValues, Backend } from '../sql/append.ts';
import { compile, type BoundStatement, type Dialect, type Statement } from '../sql/dialect.ts';
import { migrationTable, migrations, pendingOf, type Migration } from '../sql/migrations.ts';
import { fenceOf, type FenceValues } from '../sql/run-statements.ts';
import { createSqlStore } from '../sql/store.ts';
import { createPool, mayTryAgain, toStoreError } from './driver.ts';

/** How a PostgreSQL store is opened. */
interface PostgresOptions {
  /** The schema that holds its tables, made when missing; `skilled` unless given. */
  readonly schema?: string;
}

/** Opens a store in a PostgreSQL database, which any number of machines may share. */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  return createSqlStore(await openPostgresBackend(url, options.schema ?? 'skilled'));
}

const mostAttempts = 10; // each one that fails has let somebody else through

/** Connects to a database of PostgreSQL; the schema and its tables are made when missing. */
async function openPostgresBackend(url: string, schema: string): Promise<Backend> {
  const { pool, place } = createPool(url, { max: 10 });
  const named = `store ${place}`;
  const dialect = buildPostgresDialect(schema);
  const append = buildAppend(dialect);

  const execute = async ({ sql, parameters }: BoundStatement): Promise<readonly unknown[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await pool.query(sql, [...parameters])).rows as readonly unknown[];
      } catch (thrown) {
        if (!mayTryAgain(thrown) || attempt === mostAttempts) throw toStoreError(thrown, named);
      }
    }
  };

  try {
    const client = await pool.connect();
    const ignore = (): void => {}; // a connection that is lost between two statements fails the next one
    client.on('error', ignore);
    try {
      await migratePostgres(client, dialect, schema, place);
    } finally {
      client.off('error', ignore);
      client.release();
    }
  } catch (thrown) {
    await pool.end();
    throw toStoreError(thrown, named);
  }

  return {
    dialect,
    execute,
    async append(values) {
      const [row] = await execute(append.bind(toColumns(values)));
      return (row as { readonly seq: number } | undefined)?.seq;
    },
    close: () => pool.end(),
  };
}

/** How PostgreSQL says it, with all tables in this schema. */
export function buildPostgresDialect(schema: string): Dialect {
  return {
    mark: (position) => `$${position}`,
    table: (name) => `${quoted(schema)}."${name}"`,
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

/** Makes the schema and the steps that it needs, all or nothing; of several processes one works and the others wait. */
export async function migratePostgres(
  client: ClientBase,
  dialect: Dialect,
  schema: string,
  place: string,
  known: readonly Migration[] = migrations,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [lock, schema]);
    await makeSchema(client, schema);
    await client.query(migrationTable(dialect));
    for (const { number, statements } of pendingOf(known, await appliedIn(client, dialect), place)) {
      for (const statement of statements(dialect)) await client.query(statement);
      await client.query(`insert into ${dialect.table('migrations')} (number) values ($1)`, [number]);
    }
    await client.query('commit');
  } catch (thrown) {
    await client.query('rollback').catch(() => undefined); // the connection may be gone, which ends it too
    throw thrown;
  }
}

// Asks first: making a schema that exists needs a right that using it does not.
async function makeSchema(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${quoted(schema)}`);
}

async function appliedIn(client: ClientBase, { table }: Dialect): Promise<readonly number[]> {
  return (await client.query<{ number: number }>(`select number from ${table('migrations')}`)).rows.map(
    ({ number }) => number,
  );
}

/** The values of an append as PostgreSQL takes them: one array for each column. */
interface AppendColumns extends FenceValues {
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
function buildAppend(dialect: Dialect): Statement<AppendColumns, { seq: number }> {
  const [events, entries] = [dialect.table('events'), dialect.table('entries')];
  return compile(
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
}

/** Turns what an append writes into columns. */
function toColumns({ fence, records, kept, dropped }: AppendValues): AppendColumns {
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
