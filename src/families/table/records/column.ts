import { sql } from 'kysely';
import type { Json, SqlValue } from '../../../core/index.ts';
import { isTextType } from '../request/comparisons-of.ts';
import { isExact } from '../request/is-exact.ts';
import { fromDatabase } from '../schema/from-database.ts';
import type { Physical, Storage } from '../schema/physical.ts';
import { toDatabase } from '../schema/to-database.ts';
import type { Piece, TableDialect } from '../sql.ts';
import type { Field } from '../table.ts';

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

/** Builds the column for a field; `index` is the field's position. */
export function buildColumn(
  field: Field,
  index: number,
  physical: Physical,
  dialect: TableDialect,
): RecordColumn {
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
