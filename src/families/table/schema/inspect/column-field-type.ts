import type { Database } from '../../../../core/index.ts';
import type { FieldType } from '../../descriptor/definition.ts';
import type { ExistingColumn } from './existing-table.ts';

/** Returns the field type that corresponds to a column, based only on its database type. */
export function columnFieldType(kind: Database['kind'], { type }: Pick<ExistingColumn, 'type'>): FieldType {
  const rules = kind === 'sqlite' ? inSqlite : inPostgres;
  return rules.find(([form]) => form.test(type))?.[1] ?? 'string';
}

const inSqlite: readonly (readonly [RegExp, FieldType])[] = [
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
];

const inPostgres: readonly (readonly [RegExp, FieldType])[] = [
  [/^(?:smallint|integer)$/, 'integer'],
  [/^bigint$/, 'bigint'],
  [/^(?:numeric(?:\(\d+,-?\d+\))?|real|double precision)$/, 'decimal'],
  [/^boolean$/, 'boolean'],
  [/^date$/, 'date'],
  [/^timestamp(?:\(\d\))? with/, 'datetime'],
  [/^time(?:\(\d\))? without/, 'time'],
  [/^jsonb?$/, 'json'],
  [/^uuid$/, 'uuid'],
];
