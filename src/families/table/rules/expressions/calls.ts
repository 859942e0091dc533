import type { Json } from '../../../../core/index.ts';
import { roundTo } from './round-to.ts';

/** What a part of an expression is worth: a number, a text (dates and times among them), true or false, or whatever a field holds. */
export type ExpressionKind = 'number' | 'text' | 'boolean' | 'any';

/** A function of expressions. It is worked out only where all that it takes has a value. */
interface ExpressionFunction {
  /** What it takes, in order; the last one as often as `most` allows. */
  readonly takes: readonly [ExpressionKind, ...ExpressionKind[]];
  readonly gives: ExpressionKind;
  readonly least: number;
  readonly most: number;
  readonly work: (given: readonly Json[]) => Json;
}

const many = 100;

/** The functions by name, but for `if` and `coalesce`, which look at what has no value. */
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

/** Values one behind the other; longer than any field takes, there is none. */
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

/** What a field of any kind holds is known only when it is worked out. */
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
  return length > longest ? null : parts.join(now); // what is too long is never made
}

const longest = 1_000_000; // characters

/** A part of a date, or of the date of a time in UTC. */
function partOf(date: string, from: number, to: number): Json {
  return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(date) ? Number(date.slice(from, to)) : null;
}
