import { sql } from 'kysely';
import { AgentError, type Database, type Json, type RunSql, type SqlRow } from '../../../core/index.ts';
import type { Physical } from '../schema/physical.ts';
import { dialectOf, type TableDialect, type Piece } from '../sql/dialect.ts';
import { tablePiece } from '../sql/table-piece.ts';
import type { Table, TableRow } from '../table.ts';
import { buildColumn, type RecordColumn } from './column.ts';

/** What every statement about the records of one table needs. */
export interface RecordsGround {
  readonly database: Database;
  readonly table: Table;
  readonly physical: Physical;
  readonly dialect: TableDialect;
  readonly columns: readonly RecordColumn[];
  /** Those of the key, in its order. */
  readonly key: readonly RecordColumn[];
  /** The table, with its schema where it has one. */
  readonly from: Piece;
  /** All columns, each under its alias. */
  readonly selection: Piece;
  /** By the declared name of the field; throws for one that the table has not. */
  columnOf(field: string): RecordColumn;
}

/** The ground of a table. */
export function buildRecordsGround(database: Database, table: Table, physical: Physical): RecordsGround {
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

/** Runs a statement that changes nothing, outside of any transaction. */
export function query({ database, dialect }: RecordsGround, piece: Piece): Promise<readonly SqlRow[]> {
  return database.read(dialect.compile(piece));
}

/** Runs a statement in a transaction. */
export function perform(
  run: RunSql,
  { dialect }: Pick<RecordsGround, 'dialect'>,
  piece: Piece,
): Promise<readonly SqlRow[]> {
  return run(dialect.compile(piece));
}

/** A record, from a row of its selection. */
export function readRow({ columns }: RecordsGround, row: SqlRow): TableRow {
  const record: Record<string, Json> = {};
  for (const { field, alias, fromSql } of columns) record[field.name] = fromSql(row[alias] ?? null);
  return record;
}

function unknownField({ name, fields }: Table, field: string): AgentError {
  return new AgentError('usage.bad-input', `"${field}" is not a field of ${name}.`, {
    hint: `Its fields are ${fields.map((known) => known.name).join(', ')}.`,
  });
}
