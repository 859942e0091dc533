import { mkdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Store } from '../core/store.ts';
import { isAddress } from './kept-place.ts';
import { refuseLinks } from './must-stay-in.ts';

/** Opens a store: PostgreSQL for an address, SQLite for a path, memory for nothing; its packages are loaded now. */
export async function openStore(where: string | undefined): Promise<Store> {
  if (where === undefined) return (await import('../stores/memory.ts')).createMemoryStore();
  if (isAddress(where, 'store')) return (await import('../stores/postgres.ts')).openPostgresStore(where);
  const path = resolve(where);
  if (basename(path) === 'skilled.db' && basename(dirname(path)) === '.skilled') await makeKnown(path);
  return (await import('../stores/sqlite.ts')).openSqliteStore(path);
}

/** A store that is made where the command line looks for one is put on the user's list, so that it counts there. */
async function makeKnown(path: string): Promise<void> {
  refuseLinks(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await import('./known-stores.ts')).createKnownStore(path);
  } catch {
    // A store that was named counts without the list; what is wrong with its path is reported when it is opened.
  }
}
