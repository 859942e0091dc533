import pg, { type ClientBase, type Pool } from 'pg';
import { AgentError } from '../core/error.ts';

/** How many connections there are, and what is done with each before anything else. */
export interface PoolOptions {
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
