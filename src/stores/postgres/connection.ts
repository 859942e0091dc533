import pg from 'pg';
import type { ClientBase, CustomTypesConfig, PoolClient, QueryArrayConfig } from 'pg';
import { AgentError, isAgentError, reasonOf, type SqlRow, type SqlValue } from '../../core/index.ts';
import {
  createRowBuilder,
  retry,
  type BoundStatement,
  type Isolation,
  type RunBound,
  type SqlConnection,
  type ToRefusal,
} from '../sql/connection.ts';

/** Options for a PostgreSQL connection. */
interface PostgresOptions {
  /** The purpose of the connection, for error messages. */
  readonly use: 'store' | 'database';
  /** The maximum number of open connections. */
  readonly max: number;
  /** Prepares a new connection before its first statement. */
  readonly onConnect?: (client: ClientBase) => Promise<unknown>;
  /** Parsers for the values in results. Defaults to the parsers of `pg`. */
  readonly types?: CustomTypesConfig;
  /** Whether to wait up to 30 seconds for a server that is unavailable, for example during a restart. */
  readonly reconnects?: boolean;
  /**
   * Recognises changes that the database rejected. Without this option, a rejected change is treated as a
   * failure of the database.
   */
  readonly toRefusal?: ToRefusal;
}

/** Connects to a PostgreSQL database. Open connections do not keep the process alive. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<SqlConnection> {
  const { use, toRefusal, reconnects = false, ...settings } = options;
  const location = describeDatabase(url);
  const named = `${use} ${location}`;
  const translate: Translate = (thrown) => toRefusal?.(thrown, named) ?? toStoreError(thrown, named);
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    application_name: 'skilled',
    ...settings,
  });
  pool.on('error', () => {}); // An idle connection may be lost. The next call opens a new connection.

  try {
    await pool.query('select 1');
  } catch (thrown) {
    await pool.end();
    throw translate(thrown);
  }
  const connect: Connect = () =>
    retry(() => pool.connect(), {
      mayRetry: (thrown) => reconnects && isLost(thrown),
      translate,
      maxPause: 250, // milliseconds
    });
  const ports = { connect, translate, reconnects };
  const run: RunBound = (statement) => {
    const mayRetry = (thrown: unknown): boolean =>
      isInterrupted(thrown) || (reconnects && statement.mayRepeat === true && isLost(thrown));
    return retry(() => withClient(connect, (client) => query(client, statement)), { mayRetry, translate });
  };

  return {
    kind: 'postgres',
    location,
    read: run,
    async batch(statements) {
      const [only, ...others] = statements;
      if (only !== undefined && others.length === 0) return [await run(only)];
      return transact(ports, 'read committed', (execute) => runEach(execute, statements));
    },
    transact: (work, isolation = 'serializable') => transact(ports, isolation, work),
    close: () => pool.end(),
  };
}

/**
 * Returns a description of a database that contains its name and host. If the URL is invalid, throws an error
 * without a cause, because the cause would contain the password.
 */
function describeDatabase(url: string): string {
  try {
    // Creating a client does not open a connection.
    const { database, host, port } = new pg.Client({ connectionString: url });
    return `"${database ?? ''}" on ${host.startsWith('/') ? host : `${host}:${port}`}`;
  } catch {
    throw new AgentError('sandbox.store', 'The URL of the PostgreSQL database is invalid.', {
      hint: 'Use the form postgres://user:password@host:5432/database.',
    });
  }
}

type Translate = (thrown: unknown) => AgentError;
/** Takes a connection from the pool. If this fails, no statement has been sent. */
type Connect = () => Promise<PoolClient>;

/**
 * Calls a function with a connection. If the function fails, discards the connection unless `restore` makes
 * it usable again.
 */
async function withClient<Value>(
  connect: Connect,
  work: (client: PoolClient) => Promise<Value>,
  restore: (client: PoolClient) => Promise<boolean> = async () => false,
): Promise<Value> {
  const client = await connect();
  // Ignore this event: if the connection is lost, the next statement fails anyway.
  const ignore = (): void => {};
  client.on('error', ignore);
  let isUsable = true;
  try {
    return await work(client);
  } catch (thrown) {
    isUsable = await restore(client);
    throw thrown;
  } finally {
    client.off('error', ignore);
    client.release(!isUsable);
  }
}

async function runEach(run: RunBound, statements: readonly BoundStatement[]): Promise<(readonly SqlRow[])[]> {
  const rows: (readonly SqlRow[])[] = [];
  for (const statement of statements) rows.push(await run(statement));
  return rows;
}

/** The functions and settings for running transactions. */
interface TransactionPorts {
  readonly connect: Connect;
  readonly translate: Translate;
  /** Whether to restart a transaction whose connection was lost before the commit. */
  readonly reconnects: boolean;
}

/** Runs a callback as one transaction. Restarts the transaction if it conflicts with others. */
function transact<Value>(
  { connect, translate, reconnects }: TransactionPorts,
  isolation: Isolation,
  work: (run: RunBound) => Promise<Value>,
): Promise<Value> {
  // Recorded when a statement fails, because the callback may catch that error and throw another one.
  let mayRestart = false;
  let isCommitting = false;

  const attempt = async (client: PoolClient): Promise<Value> => {
    const run: RunBound = (statement) =>
      query(client, statement).catch((thrown: unknown) => {
        mayRestart ||= isInterrupted(thrown) || (reconnects && !isCommitting && isLost(thrown));
        throw translate(thrown);
      });
    mayRestart = isCommitting = false;
    await run({ sql: `begin isolation level ${isolation} read write`, parameters: [] });
    const value = await work(run);
    isCommitting = true;
    await run({ sql: 'commit', parameters: [] });
    return value;
  };

  return retry(() => withClient(connect, attempt, rollBack), {
    mayRetry: () => mayRestart,
    translate: (thrown) => thrown,
  });
}

/**
 * Rolls back a transaction. Returns false if this fails. The caller then discards the connection, which also
 * rolls the transaction back.
 */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false; // The caller reports the original error.
  }
}

/** Runs one statement. Throws the driver's errors. */
async function query(
  connection: ClientBase,
  { sql, parameters }: BoundStatement,
): Promise<readonly SqlRow[]> {
  const config: QueryArrayConfig & { readonly queryMode: 'extended' } = {
    text: sql,
    values: [...parameters],
    rowMode: 'array',
    queryMode: 'extended', // the simple mode accepts several statements in one text
  };
  const { fields, rows } = await connection.query<SqlValue[]>(config);
  return rows.map(createRowBuilder(fields.map(({ name }) => name)));
}

/** Whether PostgreSQL aborted a statement, without effects, because of a conflict with other transactions. */
function isInterrupted(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '40P01' || code === '40001'; // The error codes of deadlocks and serialization failures.
}

/** Whether the connection was lost, or the server is unreachable, shutting down or starting. */
function isLost(thrown: unknown): boolean {
  if (isAgentError(thrown)) return false; // An `AgentError` means that the time limit for retries has passed.
  return !(thrown instanceof pg.DatabaseError) || /^(?:08...|57P0[123])$/.test(codeOf(thrown));
}

/**
 * Converts an error from PostgreSQL to an `AgentError`. `named` contains the host and the database name, but
 * no password.
 */
function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  // If the host has several addresses, the error contains one error for each.
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reasonOf(first)}.`, {
    hint: 'Check that the server is running, that the URL, user and password are correct, and that the user may create tables.',
    cause: thrown,
  });
}

/**
 * Returns the code of an error from PostgreSQL or the operating system, or an empty string if it has no code.
 */
export function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
