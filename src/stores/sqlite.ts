import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Store } from '../core/store.ts';
import { makeOwnFile } from './make-own-file.ts';
import { toStoreError } from './sqlite-errors.ts';

/** Opens a store in one file, which is made for its owner only when missing; any number of processes may share it. */
export async function openSqliteStore(path: string): Promise<Store> {
  await makeFile(path).catch((thrown: unknown) => {
    throw toStoreError(thrown, `store ${path}`);
  });
  const [{ createSqlStore }, { openSqliteBackend }] = await Promise.all([
    import('./sql-store.ts'),
    import('./sqlite-backend.ts'),
  ]);
  return createSqlStore(await openSqliteBackend(path));
}

async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await makeOwnFile(path);
}
