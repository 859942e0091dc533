import { optional, type Database } from '../../core/index.ts';
import type { ValueKind } from '../values/types.ts';
import type { ExistingColumn } from './existing-table.ts';

/**
 * The form in which a column stores values. `spaced-datetime` is text in SQLite's own format for times.
 * `other` is a database type that is read and written as text; columns of this form are cast to text for
 * comparisons and sorting.
 */
export type StorageForm =
  | Exclude<TypeGroup, 'whole' | 'decimal' | 'array'>
  | ('integer' | 'real' | 'numeric' | 'spaced-datetime' | 'bytes' | 'other');

/** The storage of typed values in a column. */
export interface Storage {
  readonly form: StorageForm;
  /** The column's database type, used to cast values. */
  readonly sqlType: string;
  /** Set if the database computes the column, which can then only be read. */
  readonly isGenerated?: true;
}

/** A group of types. Types in the same group are stored in the same form. */
export type TypeGroup =
  'text' | 'whole' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'time' | 'json' | 'array' | 'uuid';

type Forms = Readonly<Partial<Record<TypeGroup, StorageForm>>>;

/** The types of existing columns in one kind of database. Rules are tried in order. */
interface ColumnTypes {
  /** The groups of types that a column can store, and their form. */
  readonly stored: readonly (readonly [RegExp, Forms])[];
  /** The kind of the values in a column. Default: string. */
  readonly adopted: readonly (readonly [RegExp, ValueKind])[];
}

/** The form of new columns, and their type in SQLite and in PostgreSQL. SQLite has no booleans. */
const newColumns: Readonly<Record<TypeGroup, readonly [StorageForm, sqlite: string, postgres: string]>> = {
  text: ['text', 'TEXT', 'text'],
  whole: ['integer', 'INTEGER', 'bigint'],
  decimal: ['real', 'REAL', 'double precision'],
  boolean: ['boolean', 'INTEGER', 'boolean'],
  date: ['date', 'TEXT', 'date'],
  datetime: ['datetime', 'TEXT', 'timestamp with time zone'],
  time: ['time', 'TEXT', 'time without time zone'],
  json: ['json', 'TEXT', 'jsonb'],
  array: ['json', 'TEXT', 'jsonb'],
  uuid: ['uuid', 'TEXT', 'uuid'],
};

const inText: Forms = { text: 'text', array: 'json', date: 'date', time: 'time', json: 'json', uuid: 'uuid' };

const sqlite: ColumnTypes = {
  // The order is that of SQLite's rules for type affinity.
  stored: [
    [/int/i, { whole: 'integer', boolean: 'integer' }],
    [/char|clob|text|blob|^$/i, { ...inText, datetime: 'datetime' }],
    [/real|floa|doub/i, { decimal: 'real' }],
    [/^(?:numeric|decimal|number|dec)\b/i, { whole: 'integer', decimal: 'real' }],
    [/^bool/i, { ...inText, datetime: 'spaced-datetime', boolean: 'integer' }],
    [/^/, { ...inText, datetime: 'spaced-datetime' }], // An unknown type can store any text.
  ],
  adopted: [
    [/^bool/i, 'boolean'],
    [/big\s*int|int8/i, 'bigint'],
    [/int/i, 'integer'],
    [/clob|(?:medium|long)text/i, 'text'],
    [/char|string|text/i, 'string'],
    [/real|floa|doub|^(?:numeric|decimal|number|dec)\b/i, 'decimal'],
    [/datetime|timestamp/i, 'datetime'],
    [/^date$/i, 'date'],
    [/^time$/i, 'time'],
    [/^jsonb?$/i, 'json'],
    [/^(?:uuid|guid)$/i, 'uuid'],
  ],
};

const postgres: ColumnTypes = {
  stored: [
    [/^(?:text|character varying|character|citext|name)$/, { text: 'text' }],
    [/^(?:smallint|integer|bigint)$/, { whole: 'integer' }],
    [/^numeric$/, { whole: 'numeric', decimal: 'numeric' }],
    [/^(?:real|double precision)$/, { decimal: 'real' }],
    [/^boolean$/, { boolean: 'boolean' }],
    [/^date$/, { date: 'date' }],
    [/^timestamp with(?:out)? time zone$/, { datetime: 'datetime' }],
    [/^time without time zone$/, { time: 'time' }],
    [/^jsonb?$/, { json: 'json', array: 'json' }],
    [/^uuid$/, { uuid: 'uuid' }],
    [/^bytea$/, { text: 'bytes' }],
    [/^/, { text: 'other' }], // Enums, addresses, ranges and others.
  ],
  adopted: [
    [/^(?:smallint|integer)$/, 'integer'],
    [/^bigint$/, 'bigint'],
    [/^(?:numeric(?:\(\d+,-?\d+\))?|real|double precision)$/, 'decimal'],
    [/^boolean$/, 'boolean'],
    [/^date$/, 'date'],
    [/^timestamp(?:\(\d\))? with/, 'datetime'],
    [/^time(?:\(\d\))? without/, 'time'],
    [/^jsonb?$/, 'json'],
    [/^uuid$/, 'uuid'],
  ],
};

const typesIn: Readonly<Record<Database['kind'], ColumnTypes>> = { sqlite, postgres };

/** Returns a type's group. A type can change within a group without changing stored values. */
export function groupOf(type: ValueKind): TypeGroup {
  if (type === 'string' || type === 'email' || type === 'url') return 'text';
  return type === 'integer' || type === 'bigint' ? 'whole' : type;
}

/** Returns the form in which a new column stores values of a type. */
export function newStorage(kind: Database['kind'], type: ValueKind): Storage {
  const [form, inSqlite, inPostgres] = newColumns[groupOf(type)];
  if (kind === 'postgres') return { form, sqlType: inPostgres };
  return { form: form === 'boolean' ? 'integer' : form, sqlType: inSqlite };
}

/**
 * Returns the form in which an existing column stores values of a type, or undefined if it cannot store them.
 */
export function existingStorage(
  kind: Database['kind'],
  type: ValueKind,
  column: ExistingColumn,
): Storage | undefined {
  const bare = column.type.replace(/\(\d+(?:,-?\d+)?\)/, '').trim();
  const form = typesIn[kind].stored.find(([names]) => names.test(bare))?.[1][groupOf(type)];
  if (form === undefined) return undefined;
  return { form, sqlType: column.type, ...optional('isGenerated', column.isGenerated || undefined) };
}

/** Returns the kind of values that corresponds to a column, based only on its database type. */
export function columnKind(kind: Database['kind'], { type }: Pick<ExistingColumn, 'type'>): ValueKind {
  return typesIn[kind].adopted.find(([form]) => form.test(type))?.[1] ?? 'string';
}
