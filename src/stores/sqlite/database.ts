import type { Database } from '../../core/index.ts';
import { buildRefusal, type SqlConnection, type ToRefusal } from '../sql/connection.ts';
import { createSqlDatabase } from '../sql/database.ts';
import { connectSqlite, openSqlite } from './connection.ts';
import { openHandle, toStoreError, usualPragmas, type SqliteOptions } from './driver.ts';
import { makeOwnFile } from './store-file.ts';

/** Opens a file of SQLite as a database for records, made when missing; `:memory:` is one that nobody else sees. */
export async function openSqliteDatabase(path: string): Promise<Database> {
  const isFile = path !== ':memory:';
  const options: SqliteOptions = {
    use: 'database',
    place: isFile ? path : 'memory',
    hasForeignKeys: false, // skills check references themselves
    toRefusal,
  };
  return createSqlDatabase(await (isFile ? openFile(path, options) : openSqlite(path, options)));
}

/** Opens the file twice: a transaction lasts as long as its work, and reads do not wait for it. */
async function openFile(path: string, options: SqliteOptions): Promise<SqlConnection> {
  await makeOwnFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, `database ${path}`);
  });
  const writer = await openHandle(path, options);
  try {
    const reader = await openHandle(path, options, [...usualPragmas, 'query_only = on']);
    return connectSqlite(options, writer, reader);
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

/** What the rules of the tables forbid, and values that no table takes. */
const toRefusal: ToRefusal = (thrown, named) => {
  const { errcode, code } = (thrown ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (code === 'ERR_INVALID_ARG_VALUE') return buildRefusal('other', thrown, named); // more than 64 bits
  if (typeof errcode !== 'number') return undefined;
  if (uniqueCodes.has(errcode)) return buildRefusal('unique', thrown, named);
  return otherCodes.has(errcode & 0xff) ? buildRefusal('other', thrown, named) : undefined;
};

const uniqueCodes: ReadonlySet<number> = new Set([2067, 1555, 2579]); // a unique index, a primary key, a rowid
const otherCodes: ReadonlySet<number> = new Set([19, 18, 20]); // a constraint, too large, of another type
