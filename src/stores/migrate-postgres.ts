import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Dialect } from './dialect.ts';
import { migrations, migrationTable, type Migration } from './migrations.ts';
import { pendingOf } from './pending.ts';

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
    await client.query(migrationTable(dialect).compile().sql);
    for (const { number, statements } of pendingOf(known, await appliedIn(client, dialect), place)) {
      for (const statement of statements(dialect)) await client.query(statement.compile().sql);
      const done = dialect.database.insertInto('migrations').values({ number: sql.lit(number) });
      await client.query(done.compile().sql);
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
  if (rowCount === 0) await client.query(`create schema ${client.escapeIdentifier(schema)}`);
}

async function appliedIn(client: ClientBase, { database }: Dialect): Promise<readonly number[]> {
  const query = database.selectFrom('migrations').select('number').compile();
  return (await client.query<{ number: number }>(query.sql)).rows.map(({ number }) => number);
}
