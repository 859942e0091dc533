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
  /** The word for the connection in error messages. */
  readonly use: 'store' | 'database';
  /** The maximum number of connections. */
  readonly max: number;
  /** Prepares a connection before its first statement. */
  readonly onConnect?: (client: ClientBase) => Promise<unknown>;
  /** Parsers for values. Defaults to those of `pg`. */
  readonly types?: CustomTypesConfig;
  /** Whether to wait up to 30 seconds for an unavailable server, for example one that is restarting. */
  readonly reconnects?: boolean;
  /** Recognizes rejected changes. Without it, every rejected change counts as a database failure. */
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
  pool.on('error', () => {}); // An idle connection can be lost; the next call opens a new one.

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

/** Describes the database without its password. Errors have no cause, as it would contain the full URL. */
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
 * Runs a callback on a connection. If it fails, discards the connection unless `restore` makes it usable
 * again.
 */
async function withClient<Value>(
  connect: Connect,
  work: (client: PoolClient) => Promise<Value>,
  restore: (client: PoolClient) => Promise<boolean> = async () => false,
): Promise<Value> {
  const client = await connect();
  // Ignores the error, because the next statement fails anyway if the connection is lost.
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

/** The dependencies for running transactions. */
interface TransactionPorts {
  readonly connect: Connect;
  readonly translate: Translate;
  /** Whether to restart a transaction whose connection was lost before its commit. */
  readonly reconnects: boolean;
}

/** Runs a callback as one transaction. Restarts it if other transactions interrupt it. */
function transact<Value>(
  { connect, translate, reconnects }: TransactionPorts,
  isolation: Isolation,
  work: (run: RunBound) => Promise<Value>,
): Promise<Value> {
  // Recorded here, because the callback may catch the failure and throw a different error.
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
 * Rolls back and returns whether this succeeded. If not, the connection is discarded, which also rolls back.
 */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false; // The caller reports the error that caused the rollback.
  }
}

/** Runs exactly one statement. Throws the driver's errors. */
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

/** Whether PostgreSQL fully aborted a statement because it conflicted with other transactions. */
function isInterrupted(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '40P01' || code === '40001'; // These codes mean a deadlock or a serialization failure.
}

/** Whether the server is unreachable, shutting down or starting, or the connection to it broke. */
function isLost(thrown: unknown): boolean {
  if (isAgentError(thrown)) return false; // An `AgentError` means that the maximum wait has already expired.
  return !(thrown instanceof pg.DatabaseError) || /^(?:08...|57P0[123])$/.test(codeOf(thrown));
}

/** Converts a PostgreSQL failure to an `AgentError`. `named` contains host and database, but no password. */
function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  // For a host name with several addresses, there is one failure per address.
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const reason = reasonOf(first) || codeOf(first);
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${reason}.`, {
    hint: 'Check that the server is running, that the URL, user and password are correct, and that the user may create tables.',
    cause: thrown,
  });
}

/** Returns the error code from PostgreSQL or the operating system, or an empty string if there is none. */
export function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
