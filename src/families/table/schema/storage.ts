import { optional, type Database } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { ExistingColumn } from './inspect/existing-table.ts';
import type { Storage, StorageForm } from './physical.ts';

/** Returns the form in which a new column stores values of a type. */
export function newStorage(kind: Database['kind'], type: FieldType): Storage {
  const group = groupOf(type);
  const [form, inSqlite, inPostgres] = newStorages[group];
  return kind === 'sqlite'
    ? { form: group === 'boolean' ? 'integer' : form, sqlType: inSqlite }
    : { form, sqlType: inPostgres };
}

/**
 * Returns the form in which an existing column stores values of a type, or undefined if it cannot store them.
 */
export function existingStorage(
  kind: Database['kind'],
  type: FieldType,
  column: ExistingColumn,
): Storage | undefined {
  const form =
    kind === 'sqlite' ? formInSqlite(groupOf(type), column.type) : formInPostgres(groupOf(type), column);
  if (form === undefined) return undefined;
  return { form, sqlType: column.type, ...optional('isGenerated', column.isGenerated || undefined) };
}

/** A group of types. Types in the same group are stored in the same form. */
export type TypeGroup =
  'text' | 'whole' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'time' | 'json' | 'array' | 'uuid';

/** Returns a type's group. A field's type can change within a group without changing stored values. */
export function groupOf(type: FieldType): TypeGroup {
  switch (type) {
    case 'string':
    case 'text':
    case 'email':
    case 'url':
      return 'text';
    case 'integer':
    case 'bigint':
      return 'whole';
    default:
      return type;
  }
}

const newStorages: Readonly<Record<TypeGroup, readonly [StorageForm, string, string]>> = {
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

type Affinity = 'integer' | 'text' | 'none' | 'real' | 'numeric';

/** Applies SQLite's type affinity rules to a declared type. */
function affinityOf(declared: string): Affinity {
  if (/int/i.test(declared)) return 'integer';
  if (/char|clob|text/i.test(declared)) return 'text';
  if (declared === '' || /blob/i.test(declared)) return 'none';
  return /real|floa|doub/i.test(declared) ? 'real' : 'numeric';
}

function formInSqlite(group: TypeGroup, declared: string): StorageForm | undefined {
  const affinity = affinityOf(declared);
  const isText = affinity === 'text' || affinity === 'none';
  const isNumber = /^(?:numeric|decimal|number|dec)\b/i.test(declared);
  // A column whose declared type is unknown to SQLite can store any text.
  const isUnknown = affinity === 'numeric' && !isNumber;
  switch (group) {
    case 'whole':
      return affinity === 'integer' || (affinity === 'numeric' && isNumber) ? 'integer' : undefined;
    case 'decimal':
      return affinity === 'real' || (affinity === 'numeric' && isNumber) ? 'real' : undefined;
    case 'boolean':
      return affinity === 'integer' || /^bool/i.test(declared) ? 'integer' : undefined;
    case 'datetime':
      if (isText) return 'datetime';
      return isUnknown ? 'spaced-datetime' : undefined;
    case 'text':
      return isText || isUnknown ? 'text' : undefined;
    case 'array':
      return isText || isUnknown ? 'json' : undefined;
    case 'date':
    case 'time':
    case 'json':
    case 'uuid':
      return isText || isUnknown ? group : undefined;
  }
}

const inPostgres: readonly (readonly [RegExp, Partial<Record<TypeGroup, StorageForm>>])[] = [
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
];

function formInPostgres(group: TypeGroup, { type }: ExistingColumn): StorageForm | undefined {
  const bare = type.replace(/\(\d+(?:,-?\d+)?\)/, '').trim();
  const known = inPostgres.find(([names]) => names.test(bare));
  if (known !== undefined) return known[1][group];
  // All remaining types, such as enums, addresses and ranges.
  return group === 'text' ? 'other' : undefined;
}
