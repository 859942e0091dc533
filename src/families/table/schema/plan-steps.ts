import { sql } from 'kysely';
import type { SqlStatement } from '../../../core/index.ts';
import { isExact } from '../request/is-exact.ts';
import type { Piece } from '../sql/dialect.ts';
import { compilePiece } from '../sql/run-piece.ts';
import { tablePiece } from '../sql/table-piece.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { isUnique } from './inspect/is-unique.ts';
import { readPlainDefault } from './read-plain-value.ts';
import type { SchemaGround } from './schema-ground.ts';
import { addColumn, createIndex, createTable, dropIndex, indexName } from './statements/table-statements.ts';
import { toDatabase } from './to-database.ts';

/** What makes a table as its descriptor says without taking anything away, in order; empty when it is so already. */
export function planSteps(ground: SchemaGround): readonly SqlStatement[] {
  const { place, name, existing, columns } = ground;
  if (existing?.isView === true) return [];
  const pieces =
    existing === undefined
      ? [createTable(place.kind, name, columns)]
      : columns.filter((column) => column.existing === undefined).flatMap((column) => added(ground, column));
  const all = [...pieces, ...columns.flatMap((column) => indexed(ground, column))];
  return all.map((piece) => compilePiece(place, piece));
}

/** A new column, with the default in all records that there are. */
function added({ place, name }: SchemaGround, column: AssignedColumn): readonly Piece[] {
  const { field, storage } = column;
  const value = readPlainDefault(field);
  const fill =
    value === undefined
      ? []
      : [sql`update ${tablePiece(name)} set ${sql.id(column.name)} = ${toDatabase(storage, value)}`];
  return [addColumn(place.kind, name, column), ...fill];
}

function indexed(ground: SchemaGround, { field, name: column }: AssignedColumn): readonly Piece[] {
  const { place, name, existing, kept } = ground;
  const plain = existing?.indexes ?? [];
  const isUniqueHere = existing !== undefined && isUnique(existing, [column]);
  if (field.unique === true && field.key === undefined)
    return isUniqueHere ? [] : [createIndex(place.kind, name, column, 'unique', false)];
  const loosened = existing?.indexNames.includes(indexName(name, column, 'unique')) === true;
  const drop = loosened ? [dropIndex(name, column, 'unique')] : [];
  const isOwn = existing === undefined || kept?.record.isOwn === true;
  const isWanted = field.index === true || (field.references !== undefined && isOwn);
  const isThere =
    isUniqueHere ||
    plain.some(({ columns }) => columns[0] === column) ||
    existing?.indexNames.includes(indexName(name, column, 'order'));
  if (!isWanted || (isThere && !loosened) || field.key !== undefined) return drop;
  return [...drop, createIndex(place.kind, name, column, 'order', !isExact(field))];
}
