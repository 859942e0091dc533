import { sql } from 'kysely';
import { canonicalJson, type Json, type SqlRow } from '../../../core/index.ts';
import type { Piece } from '../sql.ts';
import type { TableRow } from '../table.ts';
import type { RecordsContext } from './records-context.ts';

/** The values that identify a record, in the order of the key fields. */
export type Key = readonly Json[];

/** Returns a record's key. A value that is not set yet is null. */
export function keyOf({ key }: Pick<RecordsContext, 'key'>, row: TableRow): Key {
  return key.map(({ field }) => row[field.name] ?? null);
}

/** Reads the key from a result row. */
export function readKey({ key }: Pick<RecordsContext, 'key'>, row: SqlRow): Key {
  return key.map(({ alias, fromSql }) => fromSql(row[alias] ?? null));
}

/** Converts a key to text. Equal keys produce the same text. */
export function keyText(key: Key): string {
  return key.some((value) => typeof value === 'object') ? canonicalJson(key) : JSON.stringify(key);
}

/**
 * Builds a condition that matches the records with these keys. There must be at least one key. The database
 * can use an index on the key.
 */
export function keyIn({ key, dialect }: RecordsContext, keys: readonly Key[]): Piece {
  const [only, ...others] = key;
  if (only === undefined) return sql`1 = 0`;
  if (others.length === 0)
    return sql`${only.equal} in (${sql.join(keys.map(([value = null]) => only.toSql(value)))})`;
  const names = sql.join(key.map(({ name }) => name));
  const values = keys.map(
    (one) => sql`(${sql.join(key.map(({ toSql }, index) => toSql(one[index] ?? null)))})`,
  );
  const list = dialect.kind === 'sqlite' ? sql`values ${sql.join(values)}` : sql.join(values);
  return sql`(${names}) in (${list})`;
}
