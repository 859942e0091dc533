import type { Database } from '../../core/database.ts';
import { createLife } from '../life.ts';
import { createPool } from '../postgres-pool.ts';
import { createGate } from './gate.ts';
import { performWork } from './perform-work.ts';
import { queryPostgres } from './postgres-query.ts';
import { toPostgresError } from './postgres-error.ts';
import { transactPostgres } from './postgres-transaction.ts';

const mostConnections = 5;

// What a text of the server looks like must not depend on how the server is set up.
const settings = "set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'";

/** Connects to a database of PostgreSQL for records. */
export async function openPostgresDatabase(url: string): Promise<Database> {
  const { pool, place } = createPool(url, {
    max: mostConnections,
    onConnect: (client) => client.query(settings),
  });
  const named = `database ${place}`;
  const gate = createGate();
  const life = createLife('database', () => pool.end());

  try {
    await queryPostgres(pool, { sql: 'select 1', parameters: [] });
  } catch (thrown) {
    await pool.end();
    throw toPostgresError(thrown, named);
  }

  return {
    kind: 'postgres',
    place,
    read: (statement) =>
      life.during(() =>
        gate.pass(() =>
          queryPostgres(pool, statement).catch((thrown: unknown) => {
            throw toPostgresError(thrown, named);
          }),
        ),
      ),
    write: (work) =>
      life.during(() =>
        gate.pass(() =>
          transactPostgres(pool, named, (execute) =>
            performWork(execute, (run) => gate.close(() => work(run))),
          ),
        ),
      ),
    close: () => life.end(),
  };
}
