import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Tables } from './schema.ts';
import { nowSlot } from './statement.ts';

/** How SQLite says it. */
export function buildSqliteDialect(): Dialect {
  return {
    database: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (database) => new SqliteIntrospector(database),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    now: sql<number>`${nowSlot}`,
    text: sql`text`,
    list: (json) => sql`(select value from json_each(${json}))`,
    pairs: (json) => sql`(select value ->> 0, value ->> 1 from json_each(${json}))`,
  };
}
