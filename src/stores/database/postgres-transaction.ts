import type { Pool, PoolClient } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunSql } from '../../core/database.ts';
import { mayTryAgain } from '../postgres-errors.ts';
import { queryPostgres } from './postgres-query.ts';
import { toPostgresError } from './postgres-error.ts';

const longestTrial = 30_000; // milliseconds
const longestPause = 50; // milliseconds

type Work<Value> = (execute: RunSql) => Promise<Value>;

/** Does work as one serialisable transaction, again from its start while others are in its way. */
export async function transactPostgres<Value>(pool: Pool, named: string, work: Work<Value>): Promise<Value> {
  const end = performance.now() + longestTrial;
  for (let longest = 1; ; longest = Math.min(longest * 2, longestPause)) {
    const outcome = await attempt(pool, named, work);
    if ('value' in outcome) return outcome.value;
    if (!outcome.isInTheWay || performance.now() >= end) throw outcome.thrown;
    await delay(1 + Math.random() * longest);
  }
}

type Outcome<Value> = { readonly value: Value } | { readonly thrown: unknown; readonly isInTheWay: boolean };

async function attempt<Value>(pool: Pool, named: string, work: Work<Value>): Promise<Outcome<Value>> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw toPostgresError(thrown, named);
  });
  const ignore = (): void => {}; // a connection that is lost between two statements fails the next one
  client.on('error', ignore);
  let isInTheWay = false;
  let isLost = false;
  const execute: RunSql = async (statement) => {
    try {
      return await queryPostgres(client, statement);
    } catch (thrown) {
      isInTheWay ||= mayTryAgain(thrown);
      throw toPostgresError(thrown, named);
    }
  };
  try {
    await execute({ sql: 'begin isolation level serializable read write', parameters: [] });
    const value = await work(execute);
    await execute({ sql: 'commit', parameters: [] });
    return { value };
  } catch (thrown) {
    isLost = !(await rollBack(client));
    return { thrown, isInTheWay };
  } finally {
    client.off('error', ignore);
    client.release(isLost);
  }
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
