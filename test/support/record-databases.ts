import { after, test } from 'node:test';
import type { Database } from '../../src/core/database.ts';
import { openPostgresDatabase } from '../../src/stores/postgres/database.ts';
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts';
import { startPostgres } from './postgres.ts';
import { tree } from './tree.ts';

/** Registers a test once for each kind of database. Each test must use its own table names. */
export type OnDatabases = (what: string, check: (database: Database, name: string) => Promise<void>) => void;

/** Opens a SQLite file and a PostgreSQL server. Both are closed after the file's last test. */
export async function recordDatabases(): Promise<OnDatabases> {
  const folder = tree();
  const server = await startPostgres();
  const databases: readonly (readonly [string, Database | undefined])[] = [
    ['SQLite', await openSqliteDatabase(folder.at('records.db'))],
    ['PostgreSQL', server && (await openPostgresDatabase(server.url))],
  ];
  after(async () => {
    for (const [, database] of databases) await database?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  let tables = 0;

  return (what, check) => {
    for (const [kind, database] of databases) {
      const skip = database === undefined && `${kind} is not installed`;
      const name = `things_${++tables}`;
      test(`${kind}: ${what}`, { skip }, async () => {
        if (database !== undefined) await check(database, name);
      });
    }
  };
}
