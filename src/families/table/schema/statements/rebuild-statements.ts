import { sql } from 'kysely';
import type { Piece } from '../../sql/dialect.ts';
import { runPiece } from '../../sql/run-piece.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { SchemaGround } from '../schema-ground.ts';
import { indexName } from './table-statements.ts';

/** How a table of SQLite differs after it was made anew. */
interface Rebuild {
  /** Other types of columns. */
  readonly types?: ReadonlyMap<string, string>;
  /** Where the values of a column come from; from itself unless said. */
  readonly values?: ReadonlyMap<string, Piece>;
  /** The columns of the key; as they are unless said. */
  readonly key?: readonly string[];
  /** The column of the key that the database numbers. */
  readonly numbered?: string;
  /** Columns that are not there yet, with their types; they come first. */
  readonly added?: ReadonlyMap<string, string>;
}

/**
 * The statements that make a table of SQLite anew with all its rows: a copy, which takes the place of the table. Only for
 * tables of our own, which have nothing in them but columns and a key; indexes and triggers are made again.
 */
export async function rebuildStatements(
  { place, existing, columns: assigned }: SchemaGround,
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
    place,
    sql`select name, sql from sqlite_master where tbl_name = ${table} and type in ('index', 'trigger') and sql is not null`,
  );
  return [
    sql`create table ${copy} (${sql.join([...parts, ...keyPart])})`,
    sql`insert into ${copy} (${sql.join(names)}) select ${sql.join(values)} from ${tablePiece(existing)}`,
    ...(numbered === undefined || isNew ? [] : keepSequence(table)),
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

/** Numbers of records that are gone are not given again. */
function keepSequence(table: string): readonly Piece[] {
  const before = sql`(select seq from sqlite_sequence where name = ${table})`;
  return [sql`update sqlite_sequence set seq = max(seq, coalesce(${before}, 0)) where name = 'skilled_copy'`];
}
