import { resolve } from 'node:path';
import type { Store } from '../core/store.ts';
import { isAddress } from './kept-place.ts';

/** Opens a store: PostgreSQL for an address, SQLite for a path, memory for nothing; its packages are loaded now. */
export async function openStore(where: string | undefined): Promise<Store> {
  if (where === undefined) return (await import('../stores/memory.ts')).createMemoryStore();
  if (isAddress(where, 'store')) return (await import('../stores/postgres.ts')).openPostgresStore(where);
  return (await import('../stores/sqlite.ts')).openSqliteStore(resolve(where));
}
