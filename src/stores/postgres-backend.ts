import type { Backend } from './backend.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { buildAppend, toColumns } from './postgres-append.ts';
import { buildPostgresDialect } from './postgres-dialect.ts';
import { mayTryAgain, toStoreError } from './postgres-errors.ts';
import { createPool } from './postgres-pool.ts';

const mostAttempts = 10; // each one that fails has let somebody else through

/** Connects to a database of PostgreSQL; the schema and its tables are made when missing. */
export async function openPostgresBackend(url: string, schema: string): Promise<Backend> {
  const { pool, place } = createPool(url, { max: 10 });
  const named = `store ${place}`;
  const dialect = buildPostgresDialect(schema);
  const append = buildAppend(dialect);

  const execute = async (sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> => {
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
      const [row] = await execute(append.sql, append.parametersOf(toColumns(values)));
      return (row as { readonly seq: number } | undefined)?.seq;
    },
    close: () => pool.end(),
  };
}
