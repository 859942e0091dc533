import pg from 'pg';
import type { ClientBase, CustomTypesConfig, Pool, PoolClient, QueryArrayConfig } from 'pg';
import { AgentError, isAgentError, reasonOf, type SqlRow, type SqlValue } from '../../core/index.ts';
import {
  createRowBuilder,
  retry,
  type BoundStatement,
  type Isolation,
  type SqlConnection,
  type ToRefusal,
} from '../sql/connection.ts';

/** How a server is used. */
interface PostgresOptions {
  /** What errors call it. */
  readonly use: 'store' | 'database';
  /** How many connections there are at most. */
  readonly max: number;
  /** Prepares a connection before its first statement. */
  readonly onConnect?: (client: ClientBase) => Promise<unknown>;
  /** How values are read; as `pg` does by default. */
  readonly types?: CustomTypesConfig;
  /** Without it, every refusal is a failure of the database. */
  readonly toRefusal?: ToRefusal;
}

/** Connects to a database of PostgreSQL; none of its connections keeps the process alive. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<SqlConnection> {
  const { use, toRefusal, ...settings } = options;
  const place = placeOf(url);
  const named = `${use} ${place}`;
  const translate: Translate = (thrown) => toRefusal?.(thrown, named) ?? toStoreError(thrown, named);
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    application_name: 'skilled',
    ...settings,
  });
  pool.on('error', () => {}); // an idle connection was lost: the next call makes a new one

  const run: RunBound = (statement) =>
    retry(() => query(pool, statement), { mayRetry: isInterrupted, translate });
  try {
    await run({ sql: 'select 1', parameters: [] });
  } catch (thrown) {
    await pool.end();
    throw thrown;
  }

  return {
    kind: 'postgres',
    place,
    read: run,
    async batch(statements) {
      const [only, ...others] = statements;
      if (only !== undefined && others.length === 0) return [await run(only)];
      return transact(pool, translate, 'read committed', (execute) => runEach(execute, statements));
    },
    transact: (work, isolation = 'serializable') => transact(pool, translate, isolation, work),
    close: () => pool.end(),
  };
}

/** Throws without the cause, which holds the address with its password. */
function placeOf(url: string): string {
  try {
    const { database, host, port } = new pg.Client({ connectionString: url }); // it does not connect yet
    return `"${database ?? ''}" on ${host.startsWith('/') ? host : `${host}:${port}`}`;
  } catch {
    throw new AgentError('sandbox.store', 'The address of the PostgreSQL database is not one.', {
      hint: 'Write it as postgres://user:password@host:5432/database.',
    });
  }
}

type Translate = (thrown: unknown) => AgentError;
type RunBound = (statement: BoundStatement) => Promise<readonly SqlRow[]>;

async function runEach(run: RunBound, statements: readonly BoundStatement[]): Promise<(readonly SqlRow[])[]> {
  const rows: (readonly SqlRow[])[] = [];
  for (const statement of statements) rows.push(await run(statement));
  return rows;
}

/** Does work as one transaction, again from its start while others interrupt it. */
function transact<Value>(
  pool: Pool,
  translate: Translate,
  isolation: Isolation,
  work: (run: RunBound) => Promise<Value>,
): Promise<Value> {
  let wasInterrupted = false; // the work may have caught the failure, and throw something else

  const attempt = async (): Promise<Value> => {
    wasInterrupted = false;
    const client = await pool.connect().catch((thrown: unknown) => {
      throw translate(thrown);
    });
    const run: RunBound = (statement) =>
      query(client, statement).catch((thrown: unknown) => {
        wasInterrupted ||= isInterrupted(thrown);
        throw translate(thrown);
      });
    const ignore = (): void => {}; // a connection that is lost between two statements fails the next one
    client.on('error', ignore);
    let isLost = false;
    try {
      await run({ sql: `begin isolation level ${isolation} read write`, parameters: [] });
      const value = await work(run);
      await run({ sql: 'commit', parameters: [] });
      return value;
    } catch (thrown) {
      isLost = !(await rollBack(client));
      throw thrown;
    } finally {
      client.off('error', ignore);
      client.release(isLost);
    }
  };

  return retry(attempt, { mayRetry: () => wasInterrupted, translate: (thrown) => thrown });
}

/** Whether it could; a connection that cannot is not used again, and the server rolls back what it began. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false; // what went wrong first is the reason that counts
  }
}

/** Runs one statement, never several, on this connection or on any; throws what the driver throws. */
async function query(
  connection: Pool | ClientBase,
  { sql, parameters }: BoundStatement,
): Promise<readonly SqlRow[]> {
  const config: QueryArrayConfig & { readonly queryMode: 'extended' } = {
    text: sql,
    values: [...parameters],
    rowMode: 'array',
    queryMode: 'extended', // the other one takes several statements in a text
  };
  const { fields, rows } = await connection.query<SqlValue[]>(config);
  return rows.map(createRowBuilder(fields.map(({ name }) => name)));
}

/** Whether PostgreSQL gave up a statement, all of it, only because of other transactions. */
function isInterrupted(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '40P01' || code === '40001'; // deadlock, serialization failure
}

/** A failure of PostgreSQL as one of ours; `named` has host and database, never the password. */
function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  // A name with several addresses fails once for each of them.
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const reason = reasonOf(first) || codeOf(first);
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reason}.`, {
    hint: 'Check that the server runs, that the address, user and password are right and that the user may make tables.',
    cause: thrown,
  });
}

/** The code that PostgreSQL or the system gave a failure; empty where there is none. */
export function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
