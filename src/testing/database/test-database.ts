import type { Database, RunSql, SqlRow, SqlStatement, SqlValue } from '../../core/index.ts';

/** Opens a database without tables. */
export type OpenDatabase = () => Promise<Database>;

/** Returns a test function that opens a database, calls `work` with it, and then closes it. */
export function opened(open: OpenDatabase, work: (database: Database) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await open();
    try {
      await work(database);
    } finally {
      await database.close();
    }
  };
}

/** Builds a statement whose `?` placeholders are replaced with the placeholders of this kind of database. */
export function statement({ kind }: Database, sql: string, ...parameters: readonly SqlValue[]): SqlStatement {
  let number = 0;
  const numbered = (): string => `$${(number += 1)}`;
  return { sql: kind === 'sqlite' ? sql : sql.replaceAll('?', numbered), parameters };
}

/** Runs a query and returns its rows. */
export function ask(
  database: Database,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return database.read(statement(database, sql, ...parameters));
}

/** Runs one statement in its own transaction. */
export function change(
  database: Database,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return database.write((run) => run(statement(database, sql, ...parameters)));
}

/** Creates a table whose only row contains a count of zero. */
export async function makeCounter(database: Database): Promise<void> {
  await change(database, 'create table counter (count integer not null)');
  await change(database, 'insert into counter values (?)', 0);
}

/** Reads the count from the table that `makeCounter` created. */
export async function countOf(database: Database): Promise<SqlValue | undefined> {
  return (await ask(database, 'select count from counter'))[0]?.['count'];
}

/**
 * Reads the count, yields, and then writes the count plus one. If transactions are not isolated, parallel
 * calls lose updates.
 */
export async function countUp(database: Database, run: RunSql): Promise<void> {
  const [row] = await run({ sql: 'select count from counter', parameters: [] });
  await new Promise(setImmediate);
  await run(statement(database, 'update counter set count = ?', Number(row?.['count']) + 1));
}
