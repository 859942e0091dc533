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

const longestTurn = 10; // milliseconds that statements may take before the event loop turns

/** Opens a file, which must exist, or `:memory:`. */
export async function openSqlite(
  file: string,
  options: SqliteOptions,
  pragmas?: readonly string[],
): Promise<SqlConnection> {
  return connectSqlite(options, await openHandle(file, options, pragmas));
}

/** A connection on open handles, which it closes. The reader may not change anything; without one, reads wait for transactions. */
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
    place: options.place,
    read: (statement) =>
      onReader === undefined
        ? takeWriter(() => withoutChanges(writer, () => onWriter.stream(statement)))
        : queue.run('reader', () => onReader.stream(statement)), // at once, both would see what the first one sees
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
          if (writer.isTransaction) writer.exec('rollback'); // some failures have ended it already
          throw thrown;
        }
      }),
    async close() {
      reader?.close();
      writer.close();
    },
  };
}

/** A batch waits for our own transaction as it does for that of another process. */
const takenError = Object.assign(new Error('the connection is in use'), { errcode: busyCode });

/** Does synchronous work as one transaction: whatever it throws, nothing was written. */
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
  /** Runs a statement at once; throws what SQLite throws. */
  readonly run: (statement: BoundStatement) => Rows;
  /** Runs a statement and lets the event loop turn between its rows; translates what SQLite throws. */
  readonly stream: (statement: BoundStatement) => Promise<Rows>;
}

const mostPrepared = 200; // listings and requests have many forms, those of one table few

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
    if (known.size >= mostPrepared) known.clear();
    known.set(sql, prepared);
    return prepared;
  };

  const run = <Value>({ sql, parameters }: BoundStatement, take: TakeRows<Value>): Value => {
    try {
      return take(prepare(sql), parameters.map(toSqliteValue));
    } catch (thrown) {
      known.delete(sql); // used again it would fail once more in the same way
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

/** A statement, and the builder of its rows once it had some. */
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

/** Only the first row can meet a lock. */
const takeFirst = (prepared: Prepared, parameters: readonly SQLInputValue[]) => {
  const rows = prepared.statement.iterate(...parameters);
  const first = rows.next();
  return { rows, first, build: rowBuilderOf(prepared) };
};

/** To be called after the first row. The columns of a `*` follow the tables, also after the statement was prepared. */
function rowBuilderOf(prepared: Prepared): RowBuilder {
  if (prepared.build !== undefined) return prepared.build;
  const build = createRowBuilder(prepared.statement.columns().map(({ name }) => name));
  if (!prepared.sql.includes('*')) prepared.build = build;
  return build;
}

/** The values of a row, in the order of its columns; the types of Node do not know that rows can be arrays. */
function valuesIn(row: unknown): readonly SqlValue[] {
  return row as readonly SqlValue[];
}

/** A value as SQLite takes it: whole numbers as such, since all others would be `5.0` in a text, and 1 or 0 for booleans. */
function toSqliteValue(value: SqlParameter): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : (value as SQLInputValue);
}
