import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Tables } from './schema.ts';

/** How PostgreSQL says it, with all tables in this schema. */
export function buildPostgresDialect(schema: string): Dialect {
  const database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (instance) => new PostgresIntrospector(instance),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return {
    database: database.withSchema(schema),
    now: sql<number>`floor(extract(epoch from now()) * 1000)::double precision`,
    text: sql`text collate "C"`,
    list: (json) => sql`(select value from json_array_elements_text(${json}::json))`,
    pairs: (json) => sql`(select value ->> 0, value ->> 1 from json_array_elements(${json}::json))`,
  };
}
