import { sql } from 'kysely';
import type { TableName } from '../schema/inspect/existing-table.ts';
import type { Piece } from './dialect.ts';

/** Returns a table's name for use in a statement, qualified with its schema. */
export function tablePiece({ schema, table }: TableName): Piece {
  return schema === undefined ? sql.id(table) : sql.id(schema, table);
}

/** Returns the sequence that PostgreSQL uses to number a column. */
export function sequencePiece({ schema, table }: TableName, column: string): Piece {
  const parts = schema === undefined ? [table] : [schema, table];
  const name = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
  return sql`pg_get_serial_sequence(${name}, ${column})`;
}
