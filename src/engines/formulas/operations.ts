import { compareText, foldText, type Json } from '../../core/index.ts';

/**
 * The type of an expression or subexpression: a number, text (including dates and times), a boolean, or
 * `any`, for a field value of any type.
 */
export type ExpressionKind = 'number' | 'text' | 'boolean' | 'any';

/** An operator or function of the expression language. */
export interface Operation {
  readonly least: number;
  readonly most: number;
  /** Returns the type of the result, or undefined if the operation does not accept these operands. */
  kind(operands: readonly ExpressionKind[]): ExpressionKind | undefined;
  /** Returns null if there is no result, for example because an `any` operand has the wrong type. */
  work(operands: readonly Json[]): Json;
  /**
   * Set if the operation also works if operands have no value. An empty string literal is then either text or
   * a missing value. Other operations have no result if an operand is missing.
   */
  readonly missing?: 'empty is text' | 'empty is missing';
}

const many = 100;
const longest = 1_000_000; // The maximum number of characters in a result.

/** The operators and functions, keyed by name. `-x` is unary minus. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', { least: 2, most: 2, kind: kindOfSum, work: add }],
  ['-', numeric(2, 2, ([a = 0, b = 0]) => a - b)],
  ['*', numeric(2, 2, ([a = 0, b = 0]) => a * b)],
  ['/', numeric(2, 2, ([a = 0, b = 0]) => a / b)],
  ['-x', { ...signature(1, 1, 'number'), work: ([a]) => (typeof a === 'number' ? 0 - a : null) }],
  ['round', numeric(1, 2, ([value = 0, digits = 0]) => roundTo(value, digits))],
  ['abs', numeric(1, 1, ([value = 0]) => Math.abs(value))],
  ['floor', numeric(1, 1, ([value = 0]) => Math.floor(value))],
  ['ceil', numeric(1, 1, ([value = 0]) => Math.ceil(value))],
  ['min', numeric(1, many, (values) => Math.min(...values))],
  ['max', numeric(1, many, (values) => Math.max(...values))],
  ['number', { ...signature(1, 1, 'any', 'number'), work: ([value]) => settled(Number(value)) }],

  ['concat', { ...signature(1, many, 'any', 'text'), work: concat }],
  ['lower', textual(1, 'text', ([text = '']) => text.toLowerCase())],
  ['upper', textual(1, 'text', ([text = '']) => text.toUpperCase())],
  ['trim', textual(1, 'text', ([text = '']) => text.trim())],
  ['length', textual(1, 'number', ([text = '']) => Array.from(text).length)],
  ['replace', textual(3, 'text', ([text = '', old = '', now = '']) => replaced(text, old, now))],
  ['year', textual(1, 'number', ([date = '']) => partOf(date, 0, 4))],
  ['month', textual(1, 'number', ([date = '']) => partOf(date, 5, 7))],
  ['day', textual(1, 'number', ([date = '']) => partOf(date, 8, 10))],

  ['=', sameness(([a = null, b = null]) => isSame(a, b))],
  ['!=', sameness(([a = null, b = null]) => !isSame(a, b))],
  ['= null', { ...sameness((values) => values.every((one) => one === null)), missing: 'empty is missing' }],
  ['!= null', { ...sameness((values) => !values.every((one) => one === null)), missing: 'empty is missing' }],
  ['<', ordering((order) => order < 0)],
  ['<=', ordering((order) => order <= 0)],
  ['>', ordering((order) => order > 0)],
  ['>=', ordering((order) => order >= 0)],
  ['not', { ...signature(1, 1, 'boolean'), work: ([a]) => (typeof a === 'boolean' ? !a : null) }],
  ['and', junction(false)],
  ['or', junction(true)],

  [
    'if',
    {
      least: 2,
      most: 3,
      // The branches can have different types, because the target field determines which types are valid.
      kind: ([first = 'any', ...branches]) =>
        fits([first], 'boolean') ? (shared(branches) ?? 'any') : undefined,
      work: ([condition, yes = null, no = null]) => (condition === true ? yes : no),
      missing: 'empty is missing',
    },
  ],
  [
    'coalesce',
    {
      least: 1,
      most: many,
      kind: shared,
      work: (values) => values.find((value) => value !== null) ?? null,
      missing: 'empty is text',
    },
  ],
]);

type Signature = Omit<Operation, 'work'>;

/** Describes an operation whose operands all have the same type, which is also the type of its result. */
function signature(least: number, most: number, takes: ExpressionKind, gives = takes): Signature {
  return { least, most, kind: (kinds) => (fits(kinds, takes) ? gives : undefined) };
}

function fits(kinds: readonly ExpressionKind[], expected: ExpressionKind): boolean {
  return expected === 'any' || kinds.every((kind) => kind === expected || kind === 'any');
}

/** Returns the type that all parts share, ignoring `any`. */
function shared(kinds: readonly ExpressionKind[]): ExpressionKind | undefined {
  const known = new Set(kinds.filter((kind) => kind !== 'any'));
  const [only = 'any'] = known;
  return known.size > 1 ? undefined : only;
}

function numeric(least: number, most: number, work: (values: readonly number[]) => number): Operation {
  const isNumber = (value: Json): value is number => typeof value === 'number';
  return {
    ...signature(least, most, 'number'),
    work: (values) => (values.every(isNumber) ? settled(work(values)) : null),
  };
}

function textual(count: number, gives: ExpressionKind, work: (texts: readonly string[]) => Json): Operation {
  const isText = (value: Json): value is string => typeof value === 'string';
  return {
    ...signature(count, count, 'text', gives),
    work: (values) => (values.every(isText) ? work(values) : null),
  };
}

function sameness(work: Operation['work']): Operation {
  return {
    least: 2,
    most: 2,
    kind: (kinds) => (shared(kinds) === undefined ? undefined : 'boolean'),
    work,
  };
}

function ordering(holds: (order: number) => boolean): Operation {
  return {
    least: 2,
    most: 2,
    kind: (kinds) => (fits(kinds, 'number') || fits(kinds, 'text') ? 'boolean' : undefined),
    work([a, b]) {
      if (typeof a === 'number' && typeof b === 'number') return holds(a - b);
      return typeof a === 'string' && typeof b === 'string' ? holds(compared(a, b)) : null;
    },
  };
}

/** Builds `and` or `or`. An operand equal to `verdict` determines the result, regardless of the others. */
function junction(verdict: boolean): Operation {
  return {
    ...signature(2, 2, 'boolean'),
    missing: 'empty is missing',
    work: (parts) =>
      parts.includes(verdict) ? verdict : parts.every((part) => part === !verdict) ? !verdict : null,
  };
}

function kindOfSum(kinds: readonly ExpressionKind[]): ExpressionKind | undefined {
  if (kinds.includes('text')) return 'text';
  return fits(kinds, 'number') ? (kinds.includes('any') ? 'any' : 'number') : undefined;
}

function add([a = null, b = null]: readonly Json[]): Json {
  if (typeof a === 'string' || typeof b === 'string') return concat([a, b]);
  return typeof a === 'number' && typeof b === 'number' ? settled(a + b) : null;
}

/** Concatenates values. Returns null if the result exceeds the maximum length of a field. */
function concat(values: readonly Json[]): Json {
  const texts = values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  return texts.reduce((sum, { length }) => sum + length, 0) > longest ? null : texts.join('');
}

function replaced(text: string, old: string, now: string): Json {
  if (old === '') return text;
  const parts = text.split(old);
  const length = text.length + (parts.length - 1) * (now.length - old.length);
  // Check the length first, to avoid building an overlong string.
  return length > longest ? null : parts.join(now);
}

/** Returns a part of a date, or of a timestamp's UTC date. */
function partOf(date: string, from: number, to: number): Json {
  return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(date) ? Number(date.slice(from, to)) : null;
}

function isSame(left: Json, right: Json): boolean {
  if (typeof left === 'string' && typeof right === 'string') return compared(left, right) === 0;
  return typeof left === 'object' ? JSON.stringify(left) === JSON.stringify(right) : left === right;
}

/** Compares strings by bytes, ignoring ASCII case. */
function compared(left: string, right: string): number {
  return compareText(foldText(left), foldText(right));
}

/**
 * Returns a number that can be stored. An invalid number, such as the result of a division by zero, becomes
 * null.
 */
function settled(value: number): Json {
  return Number.isFinite(value) ? tidy(value) + 0 : null;
}

/** Rounds to a number of decimal places, with halves rounded away from zero: 1.005 becomes 1.01. */
function roundTo(value: number, digits: number): number {
  const places = Math.min(Math.max(Math.trunc(digits), -maxDigits), maxDigits);
  const size = shifted(Math.abs(tidy(value)), places);
  return Math.sign(value) * shifted(Math.round(tidy(size)), -places);
}

const maxDigits = 15;

/** Removes floating-point rounding errors, so that 0.1 + 0.2 is 0.3. Integers stay exact. */
function tidy(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(maxDigits));
}

/** Shifts the decimal point without multiplying, which would add a rounding error. */
function shifted(value: number, places: number): number {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
