import { sql } from 'kysely';
import type { SqlStatement } from '../../../core/index.ts';
import { isExact } from '../request/is-exact.ts';
import { compilePiece, type Piece, tablePiece } from '../sql.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { isUnique } from './inspect/is-unique.ts';
import { readPlainDefault } from './read-plain-value.ts';
import type { SchemaContext } from './schema-context.ts';
import { addColumn, createIndex, createTable, dropIndex, indexName } from './statements/table-statements.ts';
import { toDatabase } from './to-database.ts';

/**
 * Plans the statements, in order, that make a table match its descriptor without removing anything. Returns
 * an empty list if the table already matches.
 */
export function planSteps(context: SchemaContext): readonly SqlStatement[] {
  const { executor, name, existing, columns } = context;
  if (existing?.isView === true) return [];
  const pieces =
    existing === undefined
      ? [createTable(executor.kind, name, columns)]
      : columns.filter((column) => column.existing === undefined).flatMap((column) => added(context, column));
  const all = [...pieces, ...columns.flatMap((column) => indexed(context, column))];
  return all.map((piece) => compilePiece(executor, piece));
}

/** Adds a column and sets its default in all existing records. */
function added({ executor, name }: SchemaContext, column: AssignedColumn): readonly Piece[] {
  const { field, storage } = column;
  const value = readPlainDefault(field);
  const fill =
    value === undefined
      ? []
      : [sql`update ${tablePiece(name)} set ${sql.id(column.name)} = ${toDatabase(storage, value)}`];
  return [addColumn(executor.kind, name, column), ...fill];
}

function indexed(context: SchemaContext, { field, name: column }: AssignedColumn): readonly Piece[] {
  const { executor, name, existing, stored } = context;
  const plain = existing?.indexes ?? [];
  const isUniqueHere = existing !== undefined && isUnique(existing, [column]);
  if (field.unique === true && field.key === undefined)
    return isUniqueHere ? [] : [createIndex(executor.kind, name, column, 'unique', false)];
  const loosened = existing?.indexNames.includes(indexName(name, column, 'unique')) === true;
  const drop = loosened ? [dropIndex(name, column, 'unique')] : [];
  const isOwn = existing === undefined || stored?.record.isOwn === true;
  const needsIndex = field.index === true || (field.references !== undefined && isOwn);
  const isThere =
    isUniqueHere ||
    plain.some(({ columns }) => columns[0] === column) ||
    existing?.indexNames.includes(indexName(name, column, 'order'));
  if (!needsIndex || (isThere && !loosened) || field.key !== undefined) return drop;
  return [...drop, createIndex(executor.kind, name, column, 'order', !isExact(field))];
}
