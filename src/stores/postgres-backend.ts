import pg, { type Pool, type PoolConfig } from 'pg';
import { AgentError } from '../core/error.ts';
import type { Backend } from './backend.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { buildAppend, toColumns } from './postgres-append.ts';
import { buildPostgresDialect } from './postgres-dialect.ts';
import { mayTryAgain, toStoreError } from './postgres-errors.ts';

const mostAttempts = 10; // each one that fails has let somebody else through

/** Connects to a database of PostgreSQL; the schema and its tables are made when missing. */
export async function openPostgresBackend(url: string, schema: string): Promise<Backend> {
  const { pool, place } = connect(url);
  const dialect = buildPostgresDialect(schema);
  const append = buildAppend(dialect);

  const execute = async (sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await pool.query(sql, [...parameters])).rows as readonly unknown[];
      } catch (thrown) {
        if (!mayTryAgain(thrown) || attempt === mostAttempts) throw toStoreError(thrown, place);
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
    throw toStoreError(thrown, place);
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

function connect(url: string): { readonly pool: Pool; readonly place: string } {
  const place = placeOf(url);
  const options: PoolConfig = {
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    application_name: 'skilled',
  };
  const pool = new pg.Pool(options);
  pool.on('error', () => {}); // an idle connection was lost: the next call makes a new one
  return { pool, place };
}

// What the driver itself makes of the address, without connecting.
function placeOf(url: string): string {
  try {
    const { database, host, port } = new pg.Client({ connectionString: url });
    return `"${database ?? ''}" on ${host.startsWith('/') ? host : `${host}:${port}`}`;
  } catch {
    // The cause is left out: it holds the address with the password.
    throw new AgentError('sandbox.store', 'The address of the PostgreSQL database is not one.', {
      hint: 'Write it as postgres://user:password@host:5432/database.',
    });
  }
}
