import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunSql, SqlRow } from '../../core/database.ts';
import type { Breath } from '../breath.ts';
import { toStoreError } from '../sqlite-errors.ts';
import { loadSqlite } from '../sqlite-module.ts';
import { withPatience } from '../sqlite-patience.ts';
import { toSqliteRefusal } from './sqlite-refusal.ts';
import { toSqlRow, toSqliteValue } from './sqlite-values.ts';

/** One connection to SQLite; whoever uses it waits for one call before the next. */
export interface Connection {
  readonly run: RunSql;
  /** Runs a statement that may not change anything. */
  withoutChanges: RunSql;
  /** Does work between the begin and the end of a transaction that has the only right to write. */
  transact<Value>(work: () => Promise<Value>): Promise<Value>;
  close(): void;
}

/** Opens a file, which must be there, or `:memory:`. */
export async function openConnection(path: string, named: string, breath: Breath): Promise<Connection> {
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
