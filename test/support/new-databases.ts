import { after, describe } from 'node:test';
import type { Database, SqlRow, SqlValue } from '../../src/core/database.ts';
import { openDatabase } from '../../src/config/storage/open-database.ts';
import { startPostgres } from './postgres.ts';
import { tree } from './tree.ts';

/** A new, empty database and the URL or path at which it can be opened. */
export interface NewDatabase extends AsyncDisposable {
  readonly database: Database;
  readonly location: string;
  /** Runs one statement. The values replace its `?` placeholders. */
  run(sql: string, ...values: SqlValue[]): Promise<readonly SqlRow[]>;
}

/**
 * Registers the same tests for SQLite and for a real PostgreSQL server. Must be awaited at the top level of a
 * test file.
 */
export async function onBothDatabases(
  check: (open: () => Promise<NewDatabase>, kind: Database['kind']) => void,
): Promise<void> {
  const folder = tree();
  const server = await startPostgres();
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  let count = 0;
  describe('SQLite', () => check(() => opened(folder.at(`${(count += 1)}.db`)), 'sqlite'));
  describe('PostgreSQL', { skip: server === undefined ? 'PostgreSQL is not installed' : false }, () =>
    check(async () => {
      const name = `space_${(count += 1)}`;
      const maker = await openDatabase(server?.url);
      await maker.write((run) => run({ sql: `create schema ${name}`, parameters: [] }));
      await maker.close();
      return opened(`${server?.url ?? ''}?options=-csearch_path%3D${name}`);
    }, 'postgres'),
  );
}

async function opened(location: string): Promise<NewDatabase> {
  const database = await openDatabase(location);
  return {
    database,
    location,
    run: (sql, ...values) => {
      let index = 0;
      const numbered = database.kind === 'sqlite' ? sql : sql.replace(/\?/g, () => `$${(index += 1)}`);
      return database.write((run) => run({ sql: numbered, parameters: values }));
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
