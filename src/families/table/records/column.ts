import { sql } from 'kysely';
import type { Json, SqlValue } from '../../../core/index.ts';
import { isTextType } from '../request/comparisons-of.ts';
import { isExact } from '../request/is-exact.ts';
import { fromDatabase } from '../schema/from-database.ts';
import type { Physical, Storage } from '../schema/physical.ts';
import { toDatabase } from '../schema/to-database.ts';
import type { TableDialect, Piece } from '../sql/dialect.ts';
import type { Field } from '../table.ts';

/** A field, as statements speak of it. */
export interface RecordColumn {
  readonly field: Field;
  readonly storage: Storage;
  /** What it is called in the rows of a result; no column is called so, which an order would then mean instead. */
  readonly alias: string;
  /** The column itself. */
  readonly name: Piece;
  /** The same in the form that it is compared in; text where the database has a type of its own. */
  readonly plain: Piece;
  /** What is compared for being equal, in a form that an index can serve. */
  readonly equal: Piece;
  /** What is sorted and compared by order; null where there is no value. */
  readonly ordered: Piece;
  /** The text that is searched, in lower case unless it is compared exactly. */
  readonly searched: Piece;
  /** Where there is no value: null, and in tables of others empty text. */
  readonly isEmpty: Piece;
  /** Text that is compared without regard to case. */
  readonly isFolded: boolean;
  /** The order of something that has values of the column. */
  order(value: Piece): Piece;
  toSql(value: Json): SqlValue;
  fromSql(raw: SqlValue): Json;
}

/** The column of a field; `index` is its place among the fields. */
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
