import type { Database, RunSql, SqlRow, SqlStatement, SqlValue } from '../../core/index.ts';

/** Opens a database without tables. */
export type OpenDatabase = () => Promise<Database>;

/** A test body that gets a database, which is closed behind it. */
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

/** A statement whose values are marked by `?`, as this database takes it. */
export function statement({ kind }: Database, sql: string, ...parameters: readonly SqlValue[]): SqlStatement {
  let number = 0;
  const numbered = (): string => `$${(number += 1)}`;
  return { sql: kind === 'sqlite' ? sql : sql.replaceAll('?', numbered), parameters };
}

/** Reads rows. */
export function ask(
  database: Database,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return database.read(statement(database, sql, ...parameters));
}

/** Runs one statement as a transaction of its own. */
export function change(
  database: Database,
  sql: string,
  ...parameters: readonly SqlValue[]
): Promise<readonly SqlRow[]> {
  return database.write((run) => run(statement(database, sql, ...parameters)));
}

/** A table with one row that counts. */
export async function makeCounter(database: Database): Promise<void> {
  await change(database, 'create table counter (count integer not null)');
  await change(database, 'insert into counter values (?)', 0);
}

/** What it has counted. */
export async function countOf(database: Database): Promise<SqlValue | undefined> {
  return (await ask(database, 'select count from counter'))[0]?.['count'];
}

/** Reads the count, lets others in, and writes one more: what is lost when two do that at once. */
export async function countUp(database: Database, run: RunSql): Promise<void> {
  const [row] = await run({ sql: 'select count from counter', parameters: [] });
  await new Promise(setImmediate);
  await run(statement(database, 'update counter set count = ?', Number(row?.['count']) + 1));
}
