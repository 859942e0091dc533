import { didYouMean, listItems } from '../../../core/index.ts';
import { isNumeric } from '../request/conditions.ts';
import type { FieldPattern, FieldType, KeyStrategy, Prose } from './definition.ts';

/** Removes the markup around a short value: a bullet, code or bold markers, and a final full stop. */
export function plainValue(text: string): string {
  return withoutCode(text.trim().replace(/^[-*+]\s+/, ''))
    .replace(/^\*\*(.*)\*\*$/s, '$1')
    .replace(/\.$/, '')
    .trim();
}

/** Returns the entries of a `[a, b]` list, a bullet list, a comma-separated list or separate lines. */
export function listIn(text: string): readonly string[] {
  const bracketed = /^\[([^\][]*)\]$/s.exec(text.trim());
  const items =
    bracketed === null && isBulletList(text) ? bulletsIn(text) : (bracketed?.[1] ?? text).split(/[,\n]/);
  return [...new Set(items.map((item) => unquoted(item.trim())).filter(Boolean))];
}

/** Returns the values that an enumerator lists, or undefined if it describes them in prose. */
export function listedValues(text: string): readonly string[] | undefined {
  const brackets = text.match(/\[[^\][]*\](?!\()/g) ?? [];
  const bracketed = brackets.find((found) => found.includes(',') || found === text.trim());
  if (bracketed !== undefined) return listIn(bracketed);
  return isBulletList(text) ? listIn(text) : undefined;
}

/** Reads a number with an optional unit, such as `50 characters`. Returns undefined for anything else. */
export function numberIn(text: string): number | undefined {
  const found = /^([+-]?\d{1,15}(?:\.\d{1,15})?)(?: +\p{L}+){0,3}$/u.exec(plainValue(text));
  return found === null ? undefined : Number(found[1]);
}

/** Reads a regular expression: plain, as code or between slashes. Returns undefined if it is invalid. */
export function patternIn(text: string): FieldPattern | undefined {
  const written = withoutCode(text.trim());
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(written);
  const pattern = { source: slashed?.[1] ?? written, flags: (slashed?.[2] ?? '').replace(/[gy]/g, '') };
  try {
    new RegExp(pattern.source, pattern.flags);
    return pattern;
  } catch {
    return undefined; // The pattern is invalid. The caller reports it with its line number.
  }
}

/** Reads a default value as text, without any quotes around it. Returns undefined for null. */
export function defaultIn(text: string): string | undefined {
  const value = unquoted(withoutCode(text.trim()));
  return /^null$/i.test(text.trim()) ? undefined : value;
}

/** Reads a database name. A name in double quotes is read as a JSON string and can contain any character. */
export function databaseName(text: string): string {
  const written = withoutCode(text.trim());
  if (!/^".*"$/.test(written)) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    // The name is not valid JSON, for example because it contains an unescaped quote.
    return unquoted(written);
  }
}

/**
 * Whether a boolean attribute is true. An attribute without text is true. Other prose is neither true nor
 * false.
 */
export function saysYes(text: string): boolean {
  return /^(?:yes|true|on|1|always|(?:always )?required|mandatory|unique|indexed)?$/i.test(plainValue(text));
}

/** Whether a boolean attribute is false. */
export function saysNo(text: string): boolean {
  return /^(?:no|false|off|0|none|never|optional|not (?:required|unique|indexed))$/i.test(plainValue(text));
}

function isBulletList(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => /^\s*(?:[-*+]|\d+[.)])\s+\S/.test(line));
}

/** Reads bullets. If a bullet starts with code, only the code is used, because the rest is an explanation. */
function bulletsIn(text: string): readonly string[] {
  return listItems(text).map((item) => /^`([^`]+)`/.exec(item)?.[1] ?? item);
}

function withoutCode(text: string): string {
  const fence = /^(?:```|~~~)[^\n]*\n(.*?)\n?(?:```|~~~)$/s.exec(text);
  return fence?.[1] ?? text.replace(/^`([^`]+)`$/, '$1');
}

function unquoted(text: string): string {
  return withoutCode(text).replace(/^(["'])(.*)\1$/s, '$2');
}

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
