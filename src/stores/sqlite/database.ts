import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { AgentError, Database, RunSql, SqlRow, SqlValue } from '../../core/index.ts';
import { createBreath, createLife, createLines, type Breath } from '../async.ts';
import { buildRefusal, createGate, performWork, toWhole } from '../database.ts';
import { loadSqlite, toStoreError, withPatience } from './driver.ts';
import { makeOwnFile } from './store-file.ts';

/** Opens a file of SQLite as a database for records, made when missing; `:memory:` is one that nobody else sees. */
export async function openSqliteDatabase(path: string): Promise<Database> {
  if (path === ':memory:') {
    const only = await openConnection(path, 'database in memory', createBreath());
    return createDatabase('memory', only, only);
  }
  const named = `database ${path}`;
  await makeOwnFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, named);
  });
  const breath = createBreath();
  const writer = await openConnection(path, named, breath);
  try {
    return createDatabase(path, writer, await openConnection(path, named, breath));
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

function createDatabase(place: string, writer: SqliteConnection, reader: SqliteConnection): Database {
  // What a read that is still going on has begun to see is what any other read on its connection would see.
  const lines = createLines();
  const readers = reader === writer ? 'writers' : 'readers';
  const gate = createGate();
  const life = createLife('database', async () => {
    if (reader !== writer) reader.close();
    writer.close();
  });

  return {
    kind: 'sqlite',
    place,
    read: (statement) =>
      life.during(() => gate.pass(() => lines.join(readers, () => reader.withoutChanges(statement)))),
    write: (work) =>
      life.during(() =>
        gate.pass(() =>
          lines.join('writers', () =>
            writer.transact(() => performWork(writer.run, (run) => gate.close(() => work(run)))),
          ),
        ),
      ),
    close: () => life.end(),
  };
}

/** One connection to SQLite; whoever uses it waits for one call before the next. */
interface SqliteConnection {
  readonly run: RunSql;
  /** Runs a statement that may not change anything. */
  withoutChanges: RunSql;
  /** Does work between the begin and the end of a transaction that has the only right to write. */
  transact<Value>(work: () => Promise<Value>): Promise<Value>;
  close(): void;
}

/** Opens a file, which must be there, or `:memory:`. */
async function openConnection(path: string, named: string, breath: Breath): Promise<SqliteConnection> {
  const { DatabaseSync } = loadSqlite();
  const patiently = <Value>(work: () => Value): Promise<Value> => withPatience(named, work);
  const options = { timeout: 0, enableForeignKeyConstraints: false, defensive: true };
  const connection = await patiently(() => new DatabaseSync(path, options));
  try {
    await patiently(() => connection.exec('pragma trusted_schema = off')); // a project may bring the file
    await patiently(() => connection.exec('pragma journal_mode = wal'));
    // A commit is on the disk when it returns and survives the loss of power.
    await patiently(() => connection.exec('pragma synchronous = full'));
  } catch (thrown) {
    connection.close();
    throw thrown;
  }

  const statements = createPreparer(connection);
  const run: RunSql = async ({ sql, parameters }) => {
    const [rows, first] = await patiently(() => {
      try {
        const cursor = statements.prepare(sql).iterate(...parameters.map(toSqliteValue));
        return [cursor, cursor.next()] as const; // only the first row can meet a lock
      } catch (thrown) {
        statements.forget(sql); // used again it would fail once more in the same way
        throw toSqliteRefusal(thrown, named) ?? thrown;
      }
    });
    const taken: SqlRow[] = [];
    try {
      for (let next = first; next.done !== true; next = rows.next()) {
        taken.push(toSqlRow(next.value));
        await breath.take();
      }
    } catch (thrown) {
      statements.forget(sql);
      throw toStoreError(thrown, named);
    } finally {
      rows.return?.();
    }
    await breath.take();
    return taken;
  };

  return {
    run,
    async withoutChanges(statement) {
      connection.exec('pragma query_only = on');
      try {
        return await run(statement);
      } finally {
        connection.exec('pragma query_only = off');
      }
    },
    async transact(work) {
      await patiently(() => connection.exec('begin immediate'));
      try {
        const value = await work();
        await patiently(() => connection.exec('commit'));
        return value;
      } catch (thrown) {
        if (connection.isTransaction) connection.exec('rollback'); // some failures have ended it already
        throw thrown;
      }
    },
    close: () => connection.close(),
  };
}

const mostPrepared = 200; // requests have many forms, those of one table few

interface Preparer {
  prepare(sql: string): StatementSync;
  forget(sql: string): void;
}

/** Prepares each statement once, unless it is forgotten. */
function createPreparer(connection: DatabaseSync): Preparer {
  const prepared = new Map<string, StatementSync>();

  return {
    prepare(sql) {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const statement = connection.prepare(sql);
      statement.setReadBigInts(true);
      if (prepared.size >= mostPrepared) prepared.clear();
      prepared.set(sql, statement);
      return statement;
    },
    forget: (sql) => prepared.delete(sql),
  };
}

/** What SQLite threw, as a refusal of a change; nothing where it is something else. */
function toSqliteRefusal(thrown: unknown, named: string): AgentError | undefined {
  const { errcode, code } = (thrown ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (code === 'ERR_INVALID_ARG_VALUE') return buildRefusal('other', thrown, named); // more than 64 bits
  if (typeof errcode !== 'number') return undefined;
  if (uniqueCodes.has(errcode)) return buildRefusal('unique', thrown, named);
  return otherCodes.has(errcode & 0xff) ? buildRefusal('other', thrown, named) : undefined;
}

const uniqueCodes: ReadonlySet<number> = new Set([2067, 1555, 2579]); // a unique index, a primary key, a rowid
const otherCodes: ReadonlySet<number> = new Set([19, 18, 20]); // a constraint, too large, of another type

/** A value as SQLite takes it: whole numbers as such, since all others would be `5.0` in a text, and 1 or 0 for booleans. */
function toSqliteValue(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A row that SQLite gave with all its whole numbers as bigints. */
function toSqlRow(row: Readonly<Record<string, SQLOutputValue>>): SqlRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? toWhole(value) : value]),
  );
}
