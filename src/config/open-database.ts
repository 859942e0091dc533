import { resolve } from 'node:path';
import type { Database } from '../core/database.ts';
import { isStoreAddress } from './store-place.ts';

/** Opens where skills keep records: PostgreSQL for an address, SQLite for a path, memory for nothing; its packages are loaded now. */
export async function openDatabase(where: string | undefined): Promise<Database> {
  if (where !== undefined && isStoreAddress(where)) {
    return (await import('../stores/database/postgres.ts')).openPostgresDatabase(where);
  }
  const { openSqliteDatabase } = await import('../stores/database/sqlite.ts');
  return openSqliteDatabase(where === undefined ? ':memory:' : resolve(where));
}
