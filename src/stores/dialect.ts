import type { Expression, Kysely, RawBuilder } from 'kysely';
import type { Tables } from './schema.ts';

/** What the databases say in different words. */
export interface Dialect {
  /** Builds queries and never runs them. */
  readonly database: Kysely<Tables>;
  /** The time of the statement, in milliseconds since 1970. */
  readonly now: Expression<number>;
  /** The type of a text column that compares by bytes. */
  readonly text: Expression<unknown>;
  /** The strings of a JSON array as the rows of a subquery. */
  list(json: string): RawBuilder<string>;
  /** The pairs of strings of a JSON array as the rows of a subquery. */
  pairs(json: string): RawBuilder<[string, string]>;
}
