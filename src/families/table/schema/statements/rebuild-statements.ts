import { sql } from 'kysely';
import { type Piece, runPiece, tablePiece } from '../../sql.ts';
import type { SchemaContext } from '../schema-context.ts';
import { indexName } from './table-statements.ts';

/** The changes to make when rebuilding a SQLite table. */
interface Rebuild {
  /** The new types, keyed by column. */
  readonly types?: ReadonlyMap<string, string>;
  /** The SQL expressions for new values, keyed by column. Other columns keep their values. */
  readonly values?: ReadonlyMap<string, Piece>;
  /** The key columns. By default, the key is unchanged. */
  readonly key?: readonly string[];
  /** The key column that the database numbers automatically. */
  readonly numbered?: string;
  /** The new columns with their types. They precede the existing columns. */
  readonly added?: ReadonlyMap<string, string>;
}

/**
 * Returns the statements that rebuild a SQLite table by copying all rows into a new table that replaces it.
 * Recreates indexes and triggers. Only for tables created by a skill, which define nothing but columns and a
 * key.
 */
export async function rebuildStatements(
  { executor, existing, columns: assigned }: SchemaContext,
  change: Rebuild,
): Promise<readonly Piece[]> {
  if (existing === undefined) return [];
  const { table, columns } = existing;
  const key = change.key ?? existing.key;
  const numbered = change.numbered ?? numberedOf(existing.columns, change);
  const isNew = numbered !== undefined && change.added?.has(numbered) === true;
  const types = columns.map(({ name, type }): [string, string] => [name, change.types?.get(name) ?? type]);
  const copy = sql.id('skilled_copy');
  const parts = [...(change.added ?? []), ...types].map(([name, type]) => {
    const end = name === numbered ? ' primary key autoincrement' : key.includes(name) ? ' not null' : '';
    return sql`${sql.id(name)} ${sql.raw(type + end)}`;
  });
  const keyPart = numbered === undefined && key.length > 0 ? [keyOf(key)] : [];
  const names = columns.map(({ name }) => sql.id(name));
  const values = columns.map(({ name }) => change.values?.get(name) ?? sql.id(name));
  const dropped = new Set(
    assigned
      .filter(({ name }) => change.types?.has(name))
      .map(({ name }) => indexName(existing, name, 'order')),
  );
  const others = await runPiece(
    executor,
    sql`select name, sql from sqlite_master where tbl_name = ${table} and type in ('index', 'trigger') and sql is not null`,
  );
  return [
    sql`create table ${copy} (${sql.join([...parts, ...keyPart])})`,
    sql`insert into ${copy} (${sql.join(names)}) select ${sql.join(values)} from ${tablePiece(existing)}`,
    ...(numbered === undefined || isNew ? [] : preserveSequence(table)),
    sql`drop table ${tablePiece(existing)}`,
    sql`alter table ${copy} rename to ${sql.id(table)}`,
    ...others.filter(({ name }) => !dropped.has(String(name))).map((row) => sql.raw(String(row['sql']))),
  ];
}

function numberedOf(
  columns: readonly { readonly name: string; readonly isNumbered: boolean }[],
  { key, types }: Rebuild,
): string | undefined {
  if (key !== undefined) return undefined;
  return columns.find(({ name, isNumbered }) => isNumbered && types?.has(name) !== true)?.name;
}

function keyOf(key: readonly string[]): Piece {
  return sql`primary key (${sql.join(key.map((name) => sql.id(name)))})`;
}

/** Prevents the numbers of deleted records from being reused. */
function preserveSequence(table: string): readonly Piece[] {
  const before = sql`(select seq from sqlite_sequence where name = ${table})`;
  return [sql`update sqlite_sequence set seq = max(seq, coalesce(${before}, 0)) where name = 'skilled_copy'`];
}
