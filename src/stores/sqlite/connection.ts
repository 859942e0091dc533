import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { createKeyedQueue, createYielder, type SqlRow, type SqlValue } from '../../core/index.ts';
import {
  createRowBuilder,
  type BoundStatement,
  type RowBuilder,
  type SqlConnection,
  type SqlParameter,
} from '../sql/connection.ts';
import { busyCode, createWait, openHandle, translate, type SqliteOptions } from './driver.ts';

const longestTurn = 10; // The time after which a running statement yields to the event loop, in milliseconds.

/** Opens a connection to an existing file or to `:memory:`. */
export async function openSqlite(
  file: string,
  options: SqliteOptions,
  pragmas?: readonly string[],
): Promise<SqlConnection> {
  return connectSqlite(options, await openHandle(file, options, pragmas));
}

/**
 * Creates a connection from open handles and closes them with the connection. `reader` is used only for
 * reading. Without it, reads wait for open transactions.
 */
export function connectSqlite(
  options: SqliteOptions,
  writer: DatabaseSync,
  reader?: DatabaseSync,
): SqlConnection {
  const whenUnlocked = createWait(options);
  const yielder = createYielder(longestTurn);
  const onWriter = createRunner(writer, options, yielder);
  const onReader = reader && createRunner(reader, options, yielder);
  const queue = createKeyedQueue();
  let isTaken = false;
  const takeWriter = <Value>(work: () => Promise<Value>): Promise<Value> =>
    queue.run('writer', async () => {
      isTaken = true;
      return work().finally(() => (isTaken = false));
    });

  return {
    kind: 'sqlite',
    location: options.location,
    read: (statement) =>
      onReader === undefined
        ? takeWriter(() => withoutChanges(writer, () => onWriter.stream(statement)))
        : queue.run('reader', () => onReader.stream(statement)), // parallel reads would share a snapshot
    async batch(statements) {
      const rows = await whenUnlocked(() => {
        if (isTaken) throw takenError;
        const run = (): Rows[] => statements.map(onWriter.run);
        return statements.length === 1 ? run() : transactAtOnce(writer, run);
      });
      const turn = yielder();
      if (turn !== undefined) await turn;
      return rows;
    },
    transact: (work) =>
      takeWriter(async () => {
        await whenUnlocked(() => writer.exec('begin immediate'));
        try {
          const value = await work(onWriter.stream);
          await whenUnlocked(() => writer.exec('commit'));
          return value;
        } catch (thrown) {
          // After some failures, SQLite has already rolled back.
          if (writer.isTransaction) writer.exec('rollback');
          throw thrown;
        }
      }),
    async close() {
      reader?.close();
      writer.close();
    },
  };
}

/** The error that makes a batch wait until another transaction of this process has ended. */
const takenError = Object.assign(new Error('the connection is in use'), { errcode: busyCode });

/** Runs a synchronous callback as one transaction. If it throws, nothing is written. */
function transactAtOnce<Value>(handle: DatabaseSync, work: () => Value): Value {
  handle.exec('begin immediate');
  try {
    const value = work();
    handle.exec('commit');
    return value;
  } catch (thrown) {
    if (handle.isTransaction) handle.exec('rollback');
    throw thrown;
  }
}

async function withoutChanges<Value>(handle: DatabaseSync, work: () => Promise<Value>): Promise<Value> {
  const before = handle.prepare('pragma query_only').get()?.['query_only'];
  handle.exec('pragma query_only = on');
  try {
    return await work();
  } finally {
    handle.exec(`pragma query_only = ${String(before)}`);
  }
}

type Rows = readonly SqlRow[];

/** Runs statements on one handle. */
interface Runner {
  /** Runs a statement synchronously. Throws SQLite's own errors. */
  readonly run: (statement: BoundStatement) => Rows;
  /** Runs a statement, yielding to the event loop between rows. Converts SQLite's errors. */
  readonly stream: (statement: BoundStatement) => Promise<Rows>;
}

// The maximum number of prepared statements to keep: enough for all variants of listings and for users'
// queries.
const maxPrepared = 200;

function createRunner(
  handle: DatabaseSync,
  options: SqliteOptions,
  yielder: ReturnType<typeof createYielder>,
): Runner {
  const whenUnlocked = createWait(options);
  const known = new Map<string, Prepared>();

  const prepare = (sql: string): Prepared => {
    const before = known.get(sql);
    if (before !== undefined) return before;
    const statement = handle.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const prepared = { sql, statement };
    if (known.size >= maxPrepared) known.clear();
    known.set(sql, prepared);
    return prepared;
  };

  const run = <Value>({ sql, parameters }: BoundStatement, take: TakeRows<Value>): Value => {
    try {
      return take(prepare(sql), parameters.map(toSqliteValue));
    } catch (thrown) {
      known.delete(sql); // Do not reuse a prepared statement that failed, because it would fail again.
      throw thrown;
    }
  };

  return {
    run: (statement) => run(statement, takeAll),
    async stream(statement) {
      const { rows, first, build } = await whenUnlocked(() => run(statement, takeFirst));
      const taken: SqlRow[] = [];
      try {
        for (let next = first; next.done !== true; next = rows.next()) {
          taken.push(build(valuesIn(next.value)));
          const turn = yielder();
          if (turn !== undefined) await turn;
        }
      } catch (thrown) {
        known.delete(statement.sql);
        throw translate(thrown, options);
      } finally {
        rows.return?.();
      }
      await yielder();
      return taken;
    },
  };
}

/**
 * A prepared statement. `build` is set once the first row has been read, unless the statement contains `*`.
 */
interface Prepared {
  readonly sql: string;
  readonly statement: StatementSync;
  build?: RowBuilder;
}

type TakeRows<Value> = (prepared: Prepared, parameters: readonly SQLInputValue[]) => Value;

const takeAll: TakeRows<Rows> = (prepared, parameters) => {
  const rows = prepared.statement.all(...parameters);
  if (rows.length === 0) return [];
  const build = rowBuilderOf(prepared);
  return rows.map((row) => build(valuesIn(row)));
};

/** Starts a query by reading its first row, the only step that can fail because of a lock. */
const takeFirst = (prepared: Prepared, parameters: readonly SQLInputValue[]) => {
  const rows = prepared.statement.iterate(...parameters);
  const first = rows.next();
  return { rows, first, build: rowBuilderOf(prepared) };
};

/**
 * Returns the row builder of a statement. Call this after reading the first row, because the columns that `*`
 * stands for can change after the statement is prepared.
 */
function rowBuilderOf(prepared: Prepared): RowBuilder {
  if (prepared.build !== undefined) return prepared.build;
  const build = createRowBuilder(prepared.statement.columns().map(({ name }) => name));
  if (!prepared.sql.includes('*')) prepared.build = build;
  return build;
}

/**
 * Returns the values of a row in column order. Rows are arrays at run time, although Node's type declarations
 * say otherwise.
 */
function valuesIn(row: unknown): readonly SqlValue[] {
  return row as readonly SqlValue[];
}

/**
 * Converts a value to a form that SQLite accepts. Booleans become 1 or 0. Integers become bigints, because a
 * text column would store the number 5 as `5.0`.
 */
function toSqliteValue(value: SqlParameter): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : (value as SQLInputValue);
}
