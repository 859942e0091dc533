import { optional, type Database } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { ExistingColumn } from './existing-table.ts';

/**
 * The form in which a column stores values. `spaced-datetime` is text in SQLite's own format for times.
 * `other` is a database type that is read and written as text; columns of this form are cast to text for
 * comparisons and sorting.
 */
export type StorageForm =
  | 'text'
  | 'integer'
  | 'real'
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'spaced-datetime'
  | 'time'
  | 'json'
  | 'uuid'
  | 'bytes'
  | 'other';

/** The storage of a field's values in a column. */
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

/** The types of one kind of database. Rules are tried in order. */
interface Types {
  /** The form and type of new columns. */
  readonly created: Readonly<Record<TypeGroup, readonly [StorageForm, string]>>;
  /** The groups of types that existing columns can store, and their form. */
  readonly stored: readonly (readonly [RegExp, Forms])[];
  /** The field type for a column that has no field yet. Default: string. */
  readonly adopted: readonly (readonly [RegExp, FieldType])[];
}

const inText: Forms = { text: 'text', array: 'json', date: 'date', time: 'time', json: 'json', uuid: 'uuid' };

const sqlite: Types = {
  created: {
    text: ['text', 'TEXT'],
    whole: ['integer', 'INTEGER'],
    decimal: ['real', 'REAL'],
    boolean: ['integer', 'INTEGER'],
    date: ['date', 'TEXT'],
    datetime: ['datetime', 'TEXT'],
    time: ['time', 'TEXT'],
    json: ['json', 'TEXT'],
    array: ['json', 'TEXT'],
    uuid: ['uuid', 'TEXT'],
  },
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

const postgres: Types = {
  created: {
    text: ['text', 'text'],
    whole: ['integer', 'bigint'],
    decimal: ['real', 'double precision'],
    boolean: ['boolean', 'boolean'],
    date: ['date', 'date'],
    datetime: ['datetime', 'timestamp with time zone'],
    time: ['time', 'time without time zone'],
    json: ['json', 'jsonb'],
    array: ['json', 'jsonb'],
    uuid: ['uuid', 'uuid'],
  },
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

const typesIn: Readonly<Record<Database['kind'], Types>> = { sqlite, postgres };

/** Returns a type's group. A field's type can change within a group without changing stored values. */
export function groupOf(type: FieldType): TypeGroup {
  if (type === 'string' || type === 'email' || type === 'url') return 'text';
  return type === 'integer' || type === 'bigint' ? 'whole' : type;
}

/** Returns the form in which a new column stores values of a type. */
export function newStorage(kind: Database['kind'], type: FieldType): Storage {
  const [form, sqlType] = typesIn[kind].created[groupOf(type)];
  return { form, sqlType };
}

/**
 * Returns the form in which an existing column stores values of a type, or undefined if it cannot store them.
 */
export function existingStorage(
  kind: Database['kind'],
  type: FieldType,
  column: ExistingColumn,
): Storage | undefined {
  const bare = column.type.replace(/\(\d+(?:,-?\d+)?\)/, '').trim();
  const form = typesIn[kind].stored.find(([names]) => names.test(bare))?.[1][groupOf(type)];
  if (form === undefined) return undefined;
  return { form, sqlType: column.type, ...optional('isGenerated', column.isGenerated || undefined) };
}

/** Returns the field type that corresponds to a column, based only on its database type. */
export function columnFieldType(kind: Database['kind'], { type }: Pick<ExistingColumn, 'type'>): FieldType {
  return typesIn[kind].adopted.find(([form]) => form.test(type))?.[1] ?? 'string';
}
