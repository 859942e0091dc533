import type { RawBuilder } from 'kysely';
import type { Database, SqlStatement } from '../../../core/database.ts';
import { dialectOf } from '../records/dialect.ts';

/** A statement in the words of a database, with its values apart. */
export function compileSql(kind: Database['kind'], query: RawBuilder<unknown>): SqlStatement {
  return dialectOf(kind).compile(query);
}
