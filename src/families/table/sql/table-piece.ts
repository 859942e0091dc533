import { sql } from 'kysely';
import type { TableName } from '../schema/inspect/existing-table.ts';
import type { Piece } from './dialect.ts';

/** A table in a statement, with its schema. */
export function tablePiece({ schema, table }: TableName): Piece {
  return schema === undefined ? sql.id(table) : sql.id(schema, table);
}

/** Where PostgreSQL takes the numbers of a column from. */
export function sequencePiece({ schema, table }: TableName, column: string): Piece {
  const parts = schema === undefined ? [table] : [schema, table];
  const name = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
  return sql`pg_get_serial_sequence(${name}, ${column})`;
}
