import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ClientBase, Pool, PoolClient, QueryArrayConfig } from 'pg';
import type { AgentError, Database, RunSql, SqlRow, SqlStatement, SqlValue } from '../../core/index.ts';
import { createLife } from '../async.ts';
import { buildRefusal, createGate, performWork, toWhole } from '../database.ts';
import { codeOf, createPool, mayTryAgain, toStoreError } from './driver.ts';

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

const longestTrial = 30_000; // milliseconds
const longestPause = 50; // milliseconds

type Work<Value> = (execute: RunSql) => Promise<Value>;

/** Does work as one serialisable transaction, again from its start while others are in its way. */
async function transactPostgres<Value>(pool: Pool, named: string, work: Work<Value>): Promise<Value> {
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

/** Runs one statement, never several, on this connection or on any; throws what the driver throws. */
async function queryPostgres(
  connection: Pool | ClientBase,
  { sql, parameters }: SqlStatement,
): Promise<readonly SqlRow[]> {
  const query: QueryArrayConfig & { readonly queryMode: 'extended' } = {
    text: sql,
    values: [...parameters],
    types: postgresTypes,
    rowMode: 'array',
    queryMode: 'extended', // the other one takes several statements in a text
  };
  const { fields, rows } = await connection.query<SqlValue[]>(query);
  return rows.map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] ?? null])));
}

type Read = (text: string) => SqlValue;

const { builtins } = pg.types;
const parseBytes = pg.types.getTypeParser(builtins.BYTEA) as (text: string) => Buffer;
const readBytes: Read = (text) => new Uint8Array(parseBytes(text));
const readWhole: Read = (text) => toWhole(BigInt(text));

const forms: ReadonlyMap<number, Read> = new Map<number, Read>([
  [builtins.INT2, readWhole],
  [builtins.INT4, readWhole],
  [builtins.INT8, readWhole],
  [builtins.OID, readWhole],
  [builtins.FLOAT4, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text) => text === 't'],
  [builtins.BYTEA, readBytes],
]);

/** How the driver reads values: those without a form of their own stay the text that PostgreSQL prints. */
const postgresTypes = {
  getTypeParser: (type: number): Read => forms.get(type) ?? ((text) => text),
};

/** What PostgreSQL threw, as a refusal of a change or of a value, or as a failure of the database. */
function toPostgresError(thrown: unknown, named: string): AgentError {
  const code = codeOf(thrown);
  if (code === '23505') return buildRefusal('unique', thrown, named);
  return otherCodes.test(code) ? buildRefusal('other', thrown, named) : toStoreError(thrown, named);
}

// Values, constraints, views with a check, limits of an index, and what a trigger raises.
const otherCodes = /^(?:22|23|44|54)...$|^P0001$/;
