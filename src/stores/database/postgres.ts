import type { Database } from '../../core/database.ts';

/** Connects to a database of PostgreSQL for records. */
export function openPostgresDatabase(url: string): Promise<Database> {
  throw new Error(url);
}
