import type { Database } from '../../core/index.ts';
import { buildRefusal, type SqlConnection, type ToRefusal } from '../sql/connection.ts';
import { createSqlDatabase } from '../sql/database.ts';
import { connectSqlite, openSqlite } from './connection.ts';
import { openHandle, toStoreError, usualPragmas, type SqliteOptions } from './driver.ts';
import { makeOwnFile } from './store-file.ts';

/**
 * Opens an SQLite file as a database for records and creates the file if it is missing. For `:memory:`, each
 * call opens a separate database.
 */
export async function openSqliteDatabase(path: string): Promise<Database> {
  const isFile = path !== ':memory:';
  const options: SqliteOptions = {
    use: 'database',
    location: isFile ? path : 'memory',
    hasForeignKeys: false, // skills check references between records themselves
    toRefusal,
  };
  return createSqlDatabase(await (isFile ? openFile(path, options) : openSqlite(path, options)));
}

/** Opens a file with two handles, so that reads do not wait for an open transaction. */
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

/** Recognises changes that violate a constraint, and values that no table accepts. */
const toRefusal: ToRefusal = (thrown, named) => {
  const { errcode, code } = (thrown ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  // Node's error code for an integer of more than 64 bits.
  if (code === 'ERR_INVALID_ARG_VALUE') return buildRefusal('other', thrown, named);
  if (typeof errcode !== 'number') return undefined;
  if (uniqueCodes.has(errcode)) return buildRefusal('unique', thrown, named);
  return otherCodes.has(errcode & 0xff) ? buildRefusal('other', thrown, named) : undefined;
};

// SQLite's error codes for a duplicate value in a unique index, primary key or rowid.
const uniqueCodes: ReadonlySet<number> = new Set([2067, 1555, 2579]);
// SQLite's error codes for other violated constraints, values that are too large, and mismatched types.
const otherCodes: ReadonlySet<number> = new Set([19, 18, 20]);
