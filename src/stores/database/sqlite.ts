import type { Database } from '../../core/database.ts';

/** Opens a file of SQLite as a database for records, made when missing; `:memory:` is one that nobody else sees. */
export function openSqliteDatabase(path: string): Promise<Database> {
  throw new Error(path);
}
