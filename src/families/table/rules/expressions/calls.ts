import type { Json } from '../../../../core/index.ts';
import { roundTo } from './round-to.ts';

/**
 * The type of an expression or subexpression: a number, text (including dates and times), a boolean, or
 * `any`, for a field value of any type.
 */
export type ExpressionKind = 'number' | 'text' | 'boolean' | 'any';

/** A function that expressions can call. It is evaluated only if all its arguments have a value. */
interface ExpressionFunction {
  /** The argument types, in order. The last type can repeat, up to `most` arguments in total. */
  readonly takes: readonly [ExpressionKind, ...ExpressionKind[]];
  readonly gives: ExpressionKind;
  readonly least: number;
  readonly most: number;
  readonly work: (given: readonly Json[]) => Json;
}

const many = 100;

/** The functions, keyed by name, except `if` and `coalesce`, which accept arguments without a value. */
export const calls: ReadonlyMap<string, ExpressionFunction> = new Map<string, ExpressionFunction>([
  ['round', numeric(2, ([value = 0, digits = 0]) => roundTo(value, digits))],
  ['abs', numeric(1, ([value = 0]) => Math.abs(value))],
  ['floor', numeric(1, ([value = 0]) => Math.floor(value))],
  ['ceil', numeric(1, ([value = 0]) => Math.ceil(value))],
  ['min', numeric(many, (values) => Math.min(...values))],
  ['max', numeric(many, (values) => Math.max(...values))],
  ['number', { takes: ['any'], gives: 'number', least: 1, most: 1, work: ([value]) => Number(value) }],
  ['lower', textual(([text = '']) => text.toLowerCase())],
  ['upper', textual(([text = '']) => text.toUpperCase())],
  ['trim', textual(([text = '']) => text.trim())],
  ['length', { ...textual(([text = '']) => Array.from(text).length), gives: 'number' }],
  ['concat', { takes: ['any'], gives: 'text', least: 1, most: many, work: (given) => joined(given) }],
  [
    'replace',
    { ...textual(([text = '', old = '', now = '']) => replaced(text, old, now)), least: 3, most: 3 },
  ],
  ['year', { ...textual(([date = '']) => partOf(date, 0, 4)), gives: 'number' }],
  ['month', { ...textual(([date = '']) => partOf(date, 5, 7)), gives: 'number' }],
  ['day', { ...textual(([date = '']) => partOf(date, 8, 10)), gives: 'number' }],
]);

/** Concatenates values. Returns null if the result exceeds the maximum length of a field. */
export function joined(values: readonly Json[]): Json {
  const texts = values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  return texts.reduce((sum, { length }) => sum + length, 0) > longest ? null : texts.join('');
}

function numeric(most: number, work: (given: readonly number[]) => number): ExpressionFunction {
  return { takes: ['number'], gives: 'number', least: 1, most, work: given(isNumber, work) };
}

function textual(work: (given: readonly string[]) => Json): ExpressionFunction {
  return { takes: ['text'], gives: 'text', least: 1, most: 1, work: given(isText, work) };
}

/**
 * Wraps a function so that it returns null for arguments of the wrong type. The type of an `any` value is
 * known only at evaluation time.
 */
function given<Value extends Json>(
  fits: (value: Json) => value is Value,
  work: (values: readonly Value[]) => Json,
): ExpressionFunction['work'] {
  return (values) => (values.every(fits) ? work(values) : null);
}

function isNumber(value: Json): value is number {
  return typeof value === 'number';
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function replaced(text: string, old: string, now: string): Json {
  if (old === '') return text;
  const parts = text.split(old);
  const length = text.length + (parts.length - 1) * (now.length - old.length);
  // Check the length first, to avoid building an overlong string.
  return length > longest ? null : parts.join(now);
}

const longest = 1_000_000; // The maximum number of characters in a result.

/** Returns a part of a date, or of a timestamp's UTC date. */
function partOf(date: string, from: number, to: number): Json {
  return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(date) ? Number(date.slice(from, to)) : null;
}
