import type { Store } from '../core/store.ts';

/** How a PostgreSQL store is opened. */
export interface PostgresOptions {
  /** The schema that holds its tables, made when missing; `skilled` unless given. */
  readonly schema?: string;
}

/** Opens a store in a PostgreSQL database, which any number of machines may share. */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  const [{ createSqlStore }, { openPostgresBackend }] = await Promise.all([
    import('./sql-store.ts'),
    import('./postgres-backend.ts'),
  ]);
  return createSqlStore(await openPostgresBackend(url, options.schema ?? 'skilled'));
}
