import { sql } from 'kysely';
import { AgentError, type Database, type Json, type RunSql, type SqlRow } from '../../../core/index.ts';
import type { Physical } from '../schema/physical.ts';
import { dialectOf, type Piece, type TableDialect, tablePiece } from '../sql.ts';
import type { Table, TableRow } from '../table.ts';
import { buildColumn, type RecordColumn } from './column.ts';

/** Everything needed to build SQL statements for one table's records. */
export interface RecordsContext {
  readonly database: Database;
  readonly table: Table;
  readonly physical: Physical;
  readonly dialect: TableDialect;
  readonly columns: readonly RecordColumn[];
  /** The key columns, in order. */
  readonly key: readonly RecordColumn[];
  /** The table, qualified with its schema if it has one. */
  readonly from: Piece;
  /** The select list: all columns, each with its alias. */
  readonly selection: Piece;
  /** Returns the column for the field with this declared name. Throws if there is no such field. */
  columnOf(field: string): RecordColumn;
}

/** Builds the context for a table's statements. */
export function buildRecordsContext(database: Database, table: Table, physical: Physical): RecordsContext {
  const dialect = dialectOf(database.kind);
  const columns = table.fields.map((field, index) => buildColumn(field, index, physical, dialect));
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const columnOf = (field: string): RecordColumn => {
    const column = byName.get(field);
    if (column === undefined) throw unknownField(table, field);
    return column;
  };
  return {
    database,
    table,
    physical,
    dialect,
    columns,
    columnOf,
    key: table.key.map(({ name }) => columnOf(name)),
    from: dialect.fixed(tablePiece(physical)),
    selection: dialect.fixed(sql.join(columns.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`))),
  };
}

/** Runs a read-only statement outside any transaction. */
export function query({ database, dialect }: RecordsContext, piece: Piece): Promise<readonly SqlRow[]> {
  return database.read(dialect.compile(piece));
}

/** Runs a statement in a transaction. */
export function perform(
  run: RunSql,
  { dialect }: Pick<RecordsContext, 'dialect'>,
  piece: Piece,
): Promise<readonly SqlRow[]> {
  return run(dialect.compile(piece));
}

/** Converts a row that was read with `selection` to a record. */
export function readRow({ columns }: RecordsContext, row: SqlRow): TableRow {
  const record: Record<string, Json> = {};
  for (const { field, alias, fromSql } of columns) record[field.name] = fromSql(row[alias] ?? null);
  return record;
}

function unknownField({ name, fields }: Table, field: string): AgentError {
  return new AgentError('usage.bad-input', `"${field}" is not a field of ${name}.`, {
    hint: `Its fields are ${fields.map((known) => known.name).join(', ')}.`,
  });
}
