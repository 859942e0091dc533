import { quote, type Json } from '../../core/index.ts';

/** A value in its type's standard form, or the reason it is invalid. */
export type ValueRead = { readonly value: Json } | { readonly fault: string };

/** Reads an integer that a JavaScript number can represent exactly. */
export function readInteger(given: Json): ValueRead {
  const digits = wholeDigits(given);
  if (digits === undefined) return { fault: `must be a whole number, not ${quote(given)}.` };
  const value = Number(digits);
  return Number.isSafeInteger(value)
    ? { value: value === 0 ? 0 : value }
    : { fault: `must be a whole number of at most 15 digits, not ${quote(given)}.` };
}

/** Reads a 64-bit integer. Returns a number if that is exact, or a string of digits otherwise. */
export function readBigint(given: Json): ValueRead {
  if (typeof given === 'number' && Number.isInteger(given) && !Number.isSafeInteger(given))
    return {
      fault: `must be passed as text because ${quote(given)} cannot be represented exactly as a number.`,
    };
  const digits = wholeDigits(given);
  if (digits === undefined) return { fault: `must be a whole number, not ${quote(given)}.` };
  const value = digits.length > 40 ? undefined : BigInt(digits);
  if (value === undefined || BigInt.asIntN(64, value) !== value) {
    return { fault: `must be a whole number of at most 18 digits, not ${quote(given)}.` };
  }
  return { value: wholeNumber(value) };
}

/** Reads a number, which can have decimal places. */
export function readDecimal(given: Json): ValueRead {
  const value = typeof given === 'number' ? given : decimalIn(given);
  if (value === undefined) {
    const hint = typeof given === 'string' && decimalComma.test(given.trim()) ? ', with a decimal point' : '';
    return { fault: `must be a number${hint}, not ${quote(given)}.` };
  }
  if (!Number.isFinite(value)) return { fault: `must be a number smaller than ${quote(given)}.` };
  return { value: value === 0 ? 0 : value }; // Normalises negative zero.
}

const whole = /^([+-]?)(\d+|[1-9]\d{0,2}(?:,\d{3})+)$/;
const decimal = /^([+-]?)(\d+|[1-9]\d{0,2}(?:,\d{3})+)?(\.\d+)?$/;
const decimalComma = /^[+-]?\d+,\d+$/;

function wholeDigits(given: Json): string | undefined {
  if (typeof given === 'number') return Number.isInteger(given) ? String(BigInt(given)) : undefined;
  const found = typeof given === 'string' ? whole.exec(plainSign(given)) : null;
  if (found === null) return undefined;
  const digits = (found[2] ?? '').replaceAll(',', '').replace(/^0+(?=\d)/, '');
  return `${found[1] === '-' ? '-' : ''}${digits}`;
}

function decimalIn(given: Json): number | undefined {
  const found = typeof given === 'string' ? decimal.exec(plainSign(given)) : null;
  if (found === null || (found[2] ?? found[3]) === undefined) return undefined;
  return Number(`${found[1] ?? ''}${(found[2] ?? '0').replaceAll(',', '')}${found[3] ?? ''}`);
}

function plainSign(text: string): string {
  return text.trim().replace(/^\u2212/, '-');
}

/** Converts an integer to a number if that is exact, or to a string of digits otherwise. */
export function wholeNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** Formats a number without an exponent, because not everyone understands exponents. */
export function plainDigits(value: number): string {
  const text = String(value);
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (found === null) return text;
  const [, sign = '', first = '', rest = '', exponent = ''] = found;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  return point > 0 ? `${sign}${digits.padEnd(point, '0')}` : `${sign}0.${'0'.repeat(-point)}${digits}`;
}

/** Returns the value of an English number word: "zero" to "ninety-nine", "dozen", "hundred" or "thousand". */
export function numberWord(word: string): number | undefined {
  const [tens = '', ones] = word.toLowerCase().split('-');
  const value = numberWords.get(tens);
  if (ones === undefined || value === undefined) return value;
  const one = numberWords.get(ones);
  return value >= 20 && value < 100 && one !== undefined && one < 10 ? value + one : undefined;
}

const belowTwenty =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tensUp = 'twenty thirty forty fifty sixty seventy eighty ninety hundred';

const numberWords: ReadonlyMap<string, number> = new Map<string, number>([
  ...belowTwenty.split(' ').map((word, value) => [word, value] as const),
  ...tensUp.split(' ').map((word, value) => [word, (value + 2) * 10] as const),
  ['dozen', 12],
  ['thousand', 1_000],
]);
