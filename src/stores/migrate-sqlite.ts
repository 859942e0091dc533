import type { DatabaseSync } from 'node:sqlite';
import type { Dialect } from './dialect.ts';
import { migrations, migrationTable, type Migration } from './migrations.ts';
import { pendingOf } from './pending.ts';
import { transact } from './sqlite-transaction.ts';

/** Makes the steps that this database needs, all or nothing; does not write when there are none. Throws while it is locked. */
export function migrateSqlite(
  connection: DatabaseSync,
  dialect: Dialect,
  path: string,
  known: readonly Migration[] = migrations,
): void {
  const pending = (): readonly Migration[] => pendingOf(known, appliedIn(connection), path);
  if (pending().length === 0) return;
  transact(connection, () => {
    connection.exec(migrationTable(dialect).compile().sql);
    for (const { number, statements } of pending()) {
      for (const statement of statements(dialect)) connection.exec(statement.compile().sql);
      connection.prepare('insert into migrations (number) values (?)').run(number);
    }
    return 'done';
  });
}

function appliedIn(connection: DatabaseSync): readonly number[] {
  const [table] = connection.prepare("select name from sqlite_master where name = 'migrations'").all();
  if (table === undefined) return [];
  return connection
    .prepare('select number from migrations')
    .all()
    .map(({ number }) => Number(number));
}
