import pg from 'pg';
import type { ClientBase, Pool } from 'pg';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';

/** How many connections there are, and what is done with each before anything else. */
interface PoolOptions {
  readonly max: number;
  readonly onConnect?: (client: ClientBase) => Promise<unknown>;
}

/** Connections to a database, none of which keeps the process alive, and the place for people: without user and password. */
export function createPool(url: string, more: PoolOptions): { readonly pool: Pool; readonly place: string } {
  const place = placeOf(url);
  const options = {
    connectionString: url,
    connectionTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    application_name: 'skilled',
    ...more,
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

/** Whether PostgreSQL gave a statement up, all of it, only because others were in its way. */
export function mayTryAgain(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '40P01' || code === '40001'; // deadlock, serialization failure
}

/** A failure of PostgreSQL as one of ours; what it is about is named with host and database, never the password. */
export function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${wordsOf(thrown)}.`, {
    hint: 'Check that the server runs, that the address, user and password are right and that the user may make tables.',
    cause: thrown,
  });
}

// A name with several addresses fails once for each of them.
function wordsOf(thrown: unknown): string {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return reasonOf(first) || codeOf(first);
}

/** The code that PostgreSQL or the system gave a failure; empty where there is none. */
export function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
