import { sql } from 'kysely';
import type { SqlStatement } from '../../../../core/index.ts';
import { chunksOf, compilePiece, type Piece, tablePiece } from '../../sql.ts';
import type { AssignedColumn } from '../assign-columns.ts';
import type { Storage } from '../physical.ts';
import type { Conversion } from './read-conversion.ts';
import { rebuildStatements } from './rebuild-statements.ts';
import type { SchemaContext } from '../schema-context.ts';
import { columnType, dropIndex } from './table-statements.ts';

/** A column and the change to its type or values. */
export interface TypeChange {
  readonly column: AssignedColumn;
  readonly storage: Storage;
  readonly conversion: Conversion;
}

const maxPairs = 400; // The maximum number of values per statement.

/** Returns the statements that convert a column and all its values. */
export async function typeStatements(
  context: SchemaContext,
  change: TypeChange,
): Promise<readonly SqlStatement[]> {
  const { executor } = context;
  const { column } = change;
  const pieces = column.isFit
    ? replaced(context, change)
    : executor.kind === 'sqlite'
      ? await rebuilt(context, change)
      : altered(context, change);
  return pieces.map((piece) => compilePiece(executor, piece));
}

/** Returns the statements that replace values without changing the column. */
function replaced(
  { executor, name }: SchemaContext,
  { column, storage, conversion }: TypeChange,
): readonly Piece[] {
  const plain = sql.id(column.name);
  const isText = executor.kind === 'postgres';
  return changedPairs(conversion).map(([before, after]) => {
    const value = isText ? sql`${after}::text::${sql.raw(storage.sqlType)}` : sql`${after}`;
    return sql`update ${tablePiece(name)} set ${plain} = ${value} where ${isText ? sql`${plain}::text` : plain} = ${before}`;
  });
}

/**
 * Converts the column to text, replaces each value with the text of its new value, and then sets the new
 * type.
 */
function altered({ name }: SchemaContext, { column, storage, conversion }: TypeChange): readonly Piece[] {
  const [table, plain] = [tablePiece(name), sql.id(column.name)];
  const type = columnType('postgres', { type: column.field.type });
  const identity = column.existing?.isNumbered === true;
  return [
    dropIndex(name, column.name, 'order'), // The index may be on an expression that works only for text.
    ...(identity ? [sql`alter table ${table} alter column ${plain} drop identity if exists`] : []),
    sql`alter table ${table} alter column ${plain} type text using ${plain}::text`,
    ...changedPairs(conversion).map(
      ([before, after]) => sql`update ${table} set ${plain} = ${after} where ${plain} = ${before}`,
    ),
    sql`alter table ${table} alter column ${plain} type ${type} using ${plain}::${sql.raw(storage.sqlType)}`,
  ];
}

/** Rebuilds the table, using a temporary table for the new values. */
async function rebuilt(
  context: SchemaContext,
  { column, storage, conversion }: TypeChange,
): Promise<readonly Piece[]> {
  const pairs = sql.id('skilled_conversion');
  const value = sql`(select "after" from ${pairs} where "before" is ${sql.id(column.name)})`;
  return [
    sql`create table ${pairs} ("before" unique, "after")`,
    ...[...chunksOf(conversion.pairs, maxPairs)].map((chunk) => {
      const rows = chunk.map(([before, after]) => sql`(${before}, ${after})`);
      return sql`insert into ${pairs} values ${sql.join(rows)}`;
    }),
    ...(await rebuildStatements(context, {
      types: new Map([[column.name, storage.sqlType]]),
      values: new Map([[column.name, value]]),
    })),
    sql`drop table ${pairs}`,
  ];
}

function changedPairs({ pairs }: Conversion): Conversion['pairs'] {
  return pairs.filter(([before, after]) => before !== after);
}
