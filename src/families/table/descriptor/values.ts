import { plainValue, listIn, saysYes, saysNo } from '../../../engines/values/markdown-values.ts';
import { didYouMean } from '../../../core/index.ts';
import { isNumeric } from '../../../engines/values/types.ts';
import type { FieldType, KeyStrategy, Prose } from './definition.ts';

/** The types of fields, each with its other names. */
const typeNames: Readonly<Record<FieldType, readonly string[]>> = {
  string: ['varchar', 'char', 'enum'],
  text: ['longtext'],
  integer: ['int', 'number'],
  bigint: [],
  decimal: ['float', 'double', 'numeric'],
  boolean: ['bool'],
  date: [],
  datetime: ['timestamp'],
  time: [],
  json: ['jsonb', 'object'],
  array: [],
  email: [],
  url: [],
  uuid: [],
};
const known = Object.keys(typeNames) as readonly FieldType[];
const types = new Map(
  known.flatMap((type) => [type, ...typeNames[type]].map((name) => [name, type] as const)),
);

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
  return didYouMean(text.toLowerCase(), types.keys()) ?? `Known types: ${known.join(', ')}.`;
}

/**
 * Returns the key strategy. A key without further details is numbered automatically if it is numeric or has
 * no declared type, and generated if its type is uuid. Otherwise, new records must provide the key.
 */
export function readKeyStrategy(written: Prose, type: FieldType | undefined): KeyStrategy | undefined {
  if (saysNo(written.text)) return undefined;
  const strategy = plainValue(written.text)
    .toLowerCase()
    .replaceAll('`', '')
    .replace(/ \((.*)\)$/, ' $1');
  const [isNumbered, said = 'one'] = numbered.exec(strategy) ?? [];
  if (isNumbered !== undefined) {
    const first = said === 'one' ? 1 : Number(said.replaceAll(',', ''));
    return { kind: 'auto-increment', ...(first === 1 ? {} : { start: first }) };
  }
  if (/^(?:uuid|guid)(?: ?v?\d)?$/.test(strategy)) return { kind: 'uuid' };
  if (/^(?:given|natural|manual|provided|user[- ]provided)$/.test(strategy)) return { kind: 'given' };
  if (!saysYes(written.text)) return { kind: 'prose', prose: written };
  if (type === undefined || isNumeric(type)) return { kind: 'auto-increment' };
  return { kind: type === 'uuid' ? 'uuid' : 'given' };
}

const automatic = String.raw`auto(?:matic(?:ally)?)?[- ]?(?:increment(?:ed|ing|s)?|generated|numbered)?`;
const noun = String.raw`(?: (?:integer|int|number|id|key|primary key))*`;
const starts = String.raw`(?:(?:that |which |and )?(?:start|begin)(?:s|n?ing)?(?: ?[=:]| from| at| with)?|from)`;
const start = String.raw`one|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4}`;

/** Matches the phrases for keys that are numbered automatically, with or without their first number. */
const numbered = new RegExp(
  String.raw`^(?:an? )?(?:${automatic}|serial|sequence)${noun}(?:[,;:]? ${starts} ?(${start}))?$`,
);
