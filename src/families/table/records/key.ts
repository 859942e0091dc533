import { sql } from 'kysely';
import { canonicalJson, type Json, type SqlRow } from '../../../core/index.ts';
import type { Piece } from '../sql/dialect.ts';
import type { TableRow } from '../table.ts';
import type { RecordsGround } from './records-ground.ts';

/** What identifies a record: the values of its key, in the order of the key. */
export type Key = readonly Json[];

/** The key of a record; null where it has none yet. */
export function keyOf({ key }: Pick<RecordsGround, 'key'>, row: TableRow): Key {
  return key.map(({ field }) => row[field.name] ?? null);
}

/** The key in a row of a result. */
export function readKey({ key }: Pick<RecordsGround, 'key'>, row: SqlRow): Key {
  return key.map(({ alias, fromSql }) => fromSql(row[alias] ?? null));
}

/** The same for the same key. */
export function keyText(key: Key): string {
  return key.some((value) => typeof value === 'object') ? canonicalJson(key) : JSON.stringify(key);
}

/** The records with these keys, of which there must be some; an index of the key serves it. */
export function keyIn({ key, dialect }: RecordsGround, keys: readonly Key[]): Piece {
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
