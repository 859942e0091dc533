import { sql } from 'kysely';
import type { SqlStatement } from '../../../../core/index.ts';
import { chunksOf } from '../../sql/chunks.ts';
import type { Piece } from '../../sql/dialect.ts';
import { compilePiece } from '../../sql/run-piece.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { AssignedColumn } from '../assign-columns.ts';
import type { Storage } from '../physical.ts';
import type { Conversion } from './read-conversion.ts';
import { rebuildStatements } from './rebuild-statements.ts';
import type { SchemaGround } from '../schema-ground.ts';
import { columnType, dropIndex } from './table-statements.ts';

/** A column that gets another type, or other values for the same one. */
export interface TypeChange {
  readonly column: AssignedColumn;
  readonly storage: Storage;
  readonly conversion: Conversion;
}

const mostPairs = 400; // values of one statement

/** The statements that convert a column with all its values. */
export async function typeStatements(
  ground: SchemaGround,
  change: TypeChange,
): Promise<readonly SqlStatement[]> {
  const { place } = ground;
  const { column } = change;
  const pieces = column.isFit
    ? replaced(ground, change)
    : place.kind === 'sqlite'
      ? await rebuilt(ground, change)
      : altered(ground, change);
  return pieces.map((piece) => compilePiece(place, piece));
}

/** Other values in the same column. */
function replaced(
  { place, name }: SchemaGround,
  { column, storage, conversion }: TypeChange,
): readonly Piece[] {
  const plain = sql.id(column.name);
  const isText = place.kind === 'postgres';
  return changedPairs(conversion).map(([before, after]) => {
    const value = isText ? sql`${after}::text::${sql.raw(storage.sqlType)}` : sql`${after}`;
    return sql`update ${tablePiece(name)} set ${plain} = ${value} where ${isText ? sql`${plain}::text` : plain} = ${before}`;
  });
}

/** The column becomes text, each value the text of the new one, and the column then of the new type. */
function altered({ name }: SchemaGround, { column, storage, conversion }: TypeChange): readonly Piece[] {
  const [table, plain] = [tablePiece(name), sql.id(column.name)];
  const type = columnType('postgres', { type: column.field.type });
  const identity = column.existing?.isNumbered === true;
  return [
    dropIndex(name, column.name, 'order'), // it may be over what text has only
    ...(identity ? [sql`alter table ${table} alter column ${plain} drop identity if exists`] : []),
    sql`alter table ${table} alter column ${plain} type text using ${plain}::text`,
    ...changedPairs(conversion).map(
      ([before, after]) => sql`update ${table} set ${plain} = ${after} where ${plain} = ${before}`,
    ),
    sql`alter table ${table} alter column ${plain} type ${type} using ${plain}::${sql.raw(storage.sqlType)}`,
  ];
}

/** The table is made anew; what each value becomes stands in a table of its own meanwhile. */
async function rebuilt(
  ground: SchemaGround,
  { column, storage, conversion }: TypeChange,
): Promise<readonly Piece[]> {
  const pairs = sql.id('skilled_conversion');
  const value = sql`(select "after" from ${pairs} where "before" is ${sql.id(column.name)})`;
  return [
    sql`create table ${pairs} ("before" unique, "after")`,
    ...[...chunksOf(conversion.pairs, mostPairs)].map((chunk) => {
      const rows = chunk.map(([before, after]) => sql`(${before}, ${after})`);
      return sql`insert into ${pairs} values ${sql.join(rows)}`;
    }),
    ...(await rebuildStatements(ground, {
      types: new Map([[column.name, storage.sqlType]]),
      values: new Map([[column.name, value]]),
    })),
    sql`drop table ${pairs}`,
  ];
}

function changedPairs({ pairs }: Conversion): Conversion['pairs'] {
  return pairs.filter(([before, after]) => before !== after);
}
