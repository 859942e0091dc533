import type { Cursor } from './cursor.ts';
import type { WordToken } from './tokens.ts';

/** Whether a token is a number, written in digits or as a word. */
export function isNumber(token: WordToken | undefined): boolean {
  return token?.kind === 'word' && (/^[-+]?\d/.test(token.low) || numberWord(token.low) !== undefined);
}

/** Reads the next token as an integer. Returns NaN for any other token and undefined at the end. */
export function readNumber(cursor: Cursor): number | undefined {
  const token = cursor.peek();
  if (token === undefined) return undefined;
  cursor.index++;
  if (token.kind === 'sign') return Number.NaN;
  const value = /^[-+]?\d{1,15}$/.test(token.text)
    ? Number(token.text)
    : (numberWord(token.low) ?? Number.NaN);
  const rest = /^(?:,\d{3})+(?!\d)/.exec(cursor.words.slice(token.end, token.end + 20))?.[0];
  if (rest === undefined || !/^\d{1,3}$/.test(token.text)) return value;
  cursor.index += rest.split(',').length * 2 - 2;
  return Number(`${token.text}${rest.replaceAll(',', '')}`);
}

/** Returns the value of an English number word: "zero" to "ninety-nine", "dozen", "hundred" or "thousand". */
export function numberWord(word: string): number | undefined {
  const [tens = '', ones] = word.toLowerCase().split('-');
  const value = numbers.get(tens);
  if (ones === undefined || value === undefined) return value;
  const one = numbers.get(ones);
  return value >= 20 && value < 100 && one !== undefined && one < 10 ? value + one : undefined;
}

const belowTwenty =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety hundred';

const numbers: ReadonlyMap<string, number> = new Map<string, number>([
  ...belowTwenty.split(' ').map((word, value) => [word, value] as const),
  ...tens.split(' ').map((word, value) => [word, (value + 2) * 10] as const),
  ['dozen', 12],
  ['thousand', 1_000],
]);
