import { sql } from 'kysely';
import {
  AgentError,
  canonicalJson,
  cutText,
  type Database,
  type Json,
  type SqlRow,
  type SqlValue,
} from '../../../core/index.ts';
import { isExact } from '../../../engines/conditions/matches.ts';
import type { Storage } from '../../../engines/sql/column-types.ts';
import type { SqlExecutor } from '../../../engines/sql/existing-table.ts';
import {
  chunksOf,
  dialectOf,
  runPiece,
  tablePiece,
  type Piece,
  type TableDialect,
} from '../../../engines/sql/pieces.ts';
import { fromDatabase, toDatabase } from '../../../engines/sql/stored-values.ts';
import { isTextType } from '../../../engines/values/types.ts';
import type { Physical } from '../schema/open-schema.ts';
import type { Field, Table, TableRow } from '../table.ts';

/** A field's column, as used in SQL statements. */
export interface RecordColumn {
  readonly field: Field;
  readonly storage: Storage;
  /**
   * The column's alias in result rows. It differs from every column name because `order by` interprets an
   * ambiguous name as an alias.
   */
  readonly alias: string;
  /** The column's name, quoted for SQL. */
  readonly name: Piece;
  /** The column in the form used for comparisons: text if the values have a database-specific type. */
  readonly plain: Piece;
  /** The expression for equality tests, for which the database can use an index. */
  readonly equal: Piece;
  /** The expression for sorting and for `<` and `>` comparisons. Evaluates to null if a value is missing. */
  readonly ordered: Piece;
  /** The text to search, in lower case unless the comparison is exact. */
  readonly searched: Piece;
  /** A test for a missing value: null or, in tables not created by a skill, empty text. */
  readonly isEmpty: Piece;
  /** Whether text is compared case-insensitively. */
  readonly isFolded: boolean;
  /** Converts an expression over the column's values to the form used for sorting. */
  order(value: Piece): Piece;
  toSql(value: Json): SqlValue;
  fromSql(raw: SqlValue): Json;
}

/** Some or all columns of a table. */
export type RecordColumns = readonly RecordColumn[];

/**
 * Everything needed to build and run SQL statements for one table's records. Statements run outside any
 * transaction, unless `run` is replaced by that of a transaction.
 */
export interface RecordsContext extends SqlExecutor {
  readonly database: Database;
  readonly table: Table;
  readonly physical: Physical;
  readonly dialect: TableDialect;
  readonly columns: RecordColumns;
  /** The key columns, in order. */
  readonly key: RecordColumns;
  /** The table, qualified with its schema if it has one. */
  readonly from: Piece;
  /** The select list: all columns, each with its alias. */
  readonly selection: Piece;
  /** The ` order by …` clause for lists without another order. */
  readonly keyOrder: Piece;
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
    if (column !== undefined) return column;
    throw new AgentError('usage.bad-input', `"${field}" is not a field of ${table.name}.`, {
      hint: `Its fields are ${[...byName.keys()].join(', ')}.`,
    });
  };
  const key = table.key.map(({ name }) => columnOf(name));
  return {
    kind: database.kind,
    run: (statement) => database.read(statement),
    database,
    table,
    physical,
    dialect,
    columns,
    columnOf,
    key,
    keyOrder: dialect.fixed(sql` order by ${sql.join(key.map(({ ordered }) => sql`${ordered} asc`))}`),
    from: dialect.fixed(tablePiece(physical)),
    selection: dialect.fixed(selectList(columns)),
  };
}

function buildColumn(field: Field, index: number, physical: Physical, dialect: TableDialect): RecordColumn {
  const storage = physical.storageOf(field.name);
  const { fixed } = dialect;
  const name = fixed(sql.id(physical.columnOf(field.name)));
  const isText = isTextType(field.type);
  const isFolded = isText && !isExact(field);
  const mayBeEmpty = field.key === undefined && (storage.form === 'text' || storage.form === 'other');
  const plain = storage.form === 'other' || (isText && storage.form !== 'text') ? dialect.asText(name) : name;
  const order = (value: Piece): Piece => {
    const valued = mayBeEmpty ? sql`nullif(${value}, '')` : value;
    return isFolded ? dialect.folded(valued) : isText ? dialect.exact(valued) : valued;
  };
  const text = storage.form === 'text' ? name : dialect.asText(name);
  return {
    field,
    storage,
    name,
    plain,
    order,
    isFolded,
    alias: `skilled:${index}`,
    equal: fixed(isFolded ? dialect.folded(plain) : plain),
    ordered: fixed(order(plain)),
    searched: fixed(isFolded ? dialect.lowered(text) : dialect.exact(text)),
    isEmpty: fixed(mayBeEmpty ? sql`(${plain} is null or ${plain} = '')` : sql`${name} is null`),
    toSql: (value) => toDatabase(storage, value),
    fromSql: (raw) => fromDatabase(storage, field, raw),
  };
}

/** Builds a select list of columns, each with its alias. */
export function selectList(columns: Iterable<RecordColumn>): Piece {
  return sql.join(Array.from(columns, ({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
}

/** Converts a row that was read with `selection` to a record. */
export function readRow({ columns }: Pick<RecordsContext, 'columns'>, row: SqlRow): TableRow {
  const record: Record<string, Json> = {};
  for (const { field, alias, fromSql } of columns) record[field.name] = fromSql(row[alias] ?? null);
  return record;
}

/** The values of some columns, in the order of the columns. A record's key has those of the key columns. */
export type Key = readonly Json[];

/** Returns a record's key. A value that is not set yet is null. */
export function keyOf({ key }: Pick<RecordsContext, 'key'>, row: TableRow): Key {
  return key.map(({ field }) => row[field.name] ?? null);
}

/** Reads the values of columns from a result row. */
export function readValues(columns: RecordColumns, row: SqlRow): Key {
  return columns.map(({ alias, fromSql }) => fromSql(row[alias] ?? null));
}

/** Converts a key to text. Equal keys produce the same text. */
export function keyText(key: Key): string {
  return key.some((value) => typeof value === 'object') ? canonicalJson(key) : JSON.stringify(key);
}

/** Formats a key for a message: a single value on its own, or several values with their field names. */
export function showKey({ key }: Pick<RecordsContext, 'key'>, values: Key): string {
  if (key.length === 1) return showJson(values[0] ?? null);
  return key.map(({ field }, index) => `${field.name} ${showJson(values[index] ?? null)}`).join(', ');
}

/** Formats a value for a message: on one line, and shortened if it is long. */
export function showJson(value: Json): string {
  return cutText(JSON.stringify(value), 60);
}

/**
 * Builds a condition that matches the records whose columns have one of these combinations of values. There
 * must be at least one. The database can use an index on the columns.
 */
export function valuesIn(
  { kind }: Pick<RecordsContext, 'kind'>,
  columns: RecordColumns,
  values: readonly Key[],
): Piece {
  const [only, ...others] = columns;
  if (only === undefined) return sql`1 = 0`;
  if (others.length === 0)
    return sql`${only.equal} in (${sql.join(values.map(([value = null]) => only.toSql(value)))})`;
  const names = sql.join(columns.map(({ name }) => name));
  const rows = values.map(
    (one) => sql`(${sql.join(columns.map(({ toSql }, index) => toSql(one[index] ?? null)))})`,
  );
  return sql`(${names}) in (${kind === 'sqlite' ? sql`values ${sql.join(rows)}` : sql.join(rows)})`;
}

const keysAtOnce = 500; // The maximum number of values that one statement looks up.

/** Runs a statement for each part of a list. Yields the parts, each with the rows that it returned. */
export async function* runInParts<Item>(
  context: RecordsContext,
  items: readonly Item[],
  build: (part: readonly Item[]) => Piece,
): AsyncGenerator<{ readonly part: readonly Item[]; readonly rows: readonly SqlRow[] }> {
  for (const part of chunksOf(items, keysAtOnce)) yield { part, rows: await runPiece(context, build(part)) };
}
