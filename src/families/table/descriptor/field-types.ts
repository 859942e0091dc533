import { didYouMean } from '../../../core/index.ts';
import type { FieldType } from './definition.ts';
import { listIn, plainValue } from './values.ts';

const types: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ...(
    ['string', 'text', 'integer', 'bigint', 'decimal', 'boolean', 'date', 'datetime', 'time', 'json'] as const
  ).map(same),
  ...(['array', 'email', 'url', 'uuid'] as const).map(same),
  ['int', 'integer'],
  ['number', 'integer'],
  ['float', 'decimal'],
  ['double', 'decimal'],
  ['numeric', 'decimal'],
  ['varchar', 'string'],
  ['char', 'string'],
  ['enum', 'string'],
  ['longtext', 'text'],
  ['bool', 'boolean'],
  ['timestamp', 'datetime'],
  ['jsonb', 'json'],
  ['object', 'json'],
]);

/**
 * A declared type. For example, `varchar(255)` is a string of up to 255 characters, and `enum(a, b)` is a
 * string with two allowed values.
 */
export interface DeclaredType {
  readonly type: FieldType;
  readonly maxLength?: number;
  readonly values?: readonly string[];
}

/** Parses a declared type. Returns undefined if the text is not a type. */
export function readType(text: string): DeclaredType | undefined {
  const [, name = '', brackets] = /^([^\s([]+)\s*(?:[([]([^()[\]]*)[)\]])?$/.exec(plainValue(text)) ?? [];
  const type = types.get(name.toLowerCase());
  if (type === undefined) return undefined;
  if (brackets === undefined) return { type };
  if (name.toLowerCase() === 'enum') return { type, values: listIn(brackets) };
  const isLength = (type === 'string' || type === 'text') && /^\d{1,9}$/.test(brackets.trim());
  return isLength ? { type, maxLength: Number(brackets) } : { type };
}

/** Returns a hint with the type names that are most similar to a word. */
export function typeHint(text: string): string {
  return (
    didYouMean(text.toLowerCase(), types.keys()) ?? `Known types: ${[...new Set(types.values())].join(', ')}.`
  );
}

function same(type: FieldType): [string, FieldType] {
  return [type, type];
}
