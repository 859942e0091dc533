import type { TableClock, Field, Table } from '../table.ts';
import { namesOf, type Names } from './names.ts';
import { readTokens } from './read-tokens.ts';
import { unclearAt } from './stop.ts';
import type { WordToken } from './token.ts';

/** A place in a text that is being read. */
export interface Cursor {
  readonly words: string;
  readonly tokens: readonly WordToken[];
  readonly names: Names;
  readonly clock: TableClock;
  /** The next token. */
  index: number;
  /** How many comparisons were read. */
  leaves: number;
  /** Whether the last value had no quotes and could have been any text, so that its end was a guess. */
  isLoose: boolean;
  /** Whether a value without quotes ends where an order or a window begins. */
  hasTail: boolean;
  /** Whether a value without quotes cannot go on at a token, for the form that is being read. */
  isStop: (index: number) => boolean;
}

/** Stands at the start of a text. */
export function createCursor(table: Pick<Table, 'fields'>, words: string, clock: TableClock): Cursor {
  const names = namesOf(table);
  return {
    words,
    tokens: readTokens(words).flatMap((token) => withoutPrefix(token, names)),
    names,
    clock,
    index: 0,
    leaves: 0,
    isLoose: false,
    hasTail: true,
    isStop: () => false,
  };
}

/** `unpaid` is `not paid` where that is a field that is yes or no. */
function withoutPrefix(token: WordToken, names: Names): readonly WordToken[] {
  const { kind, low, text, start } = token;
  if (kind !== 'word' || !low.startsWith('un')) return [token];
  const isName = names.fieldsBy(low).length > 0 || names.valuesBy(low).length > 0 || names.isTable(low);
  if (isName || !names.fieldsBy(low.slice(2)).some(({ type }) => type === 'boolean')) return [token];
  return [
    { ...token, text: 'not', low: 'not', end: start + 2 },
    { ...token, text: text.slice(2), low: low.slice(2), start: start + 2, isOnNewLine: false },
  ];
}

/** The token at some distance. */
export function peek({ tokens, index }: Cursor, ahead = 0): WordToken | undefined {
  return tokens[index + ahead];
}

/** Whether everything was read. */
export function isAtEnd({ tokens, index }: Cursor): boolean {
  return index >= tokens.length;
}

/** Where the next token begins, or the text ends. */
export function placeOf({ tokens, words }: Cursor, index: number): number {
  return tokens[index]?.start ?? words.trimEnd().length;
}

/** Whether a token is one of some words or signs; what is quoted never is. */
export function isAt({ tokens }: Cursor, index: number, words: ReadonlySet<string>): boolean {
  const token = tokens[index];
  return token !== undefined && token.kind !== 'quoted' && words.has(token.low);
}

/** Steps over the next token when it is one of some words or signs. */
export function accept(cursor: Cursor, words: ReadonlySet<string>): boolean {
  if (!isAt(cursor, cursor.index, words)) return false;
  cursor.index++;
  return true;
}

/** Steps over as many tokens as there are that are one of some words. */
export function skip(cursor: Cursor, words: ReadonlySet<string>): void {
  while (accept(cursor, words));
}

/** The text from one token to before another, as written. */
export function textBetween({ words, tokens }: Cursor, from: number, to: number): string {
  return words.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);
}

/** Something that is named by tokens, and how many they are. */
export interface NamedTokens<Found> {
  readonly found: Found;
  readonly length: number;
}

/** The field that the longest run of words from a token names; throws a question when several go by that name. */
export function fieldAt(cursor: Cursor, index = cursor.index): NamedTokens<Field> | undefined {
  const named = longest(
    cursor,
    index,
    (text) => cursor.names.fieldsBy(text),
    (fields) => fields.length > 0,
  );
  if (named === undefined) return undefined;
  const [field, ...others] = named.found;
  if (field === undefined || others.length === 0) return field && { found: field, length: named.length };
  const [at, end] = [placeOf(cursor, index), cursor.tokens[index + named.length - 1]?.end ?? 0];
  const options = named.found.map(({ name }) => name);
  throw unclearAt(at, end, `Which field is meant by "${cursor.words.slice(at, end)}"?`, options);
}

/** The listed values that the longest run of words from a token names. */
export function valuesAt(
  cursor: Cursor,
  index = cursor.index,
): NamedTokens<ReturnType<Names['valuesBy']>> | undefined {
  return longest(
    cursor,
    index,
    (text) => cursor.names.valuesBy(text),
    (values) => values.length > 0,
  );
}

/** How many words from a token name the table; 0 when they do not. */
export function tableLength(cursor: Cursor, index = cursor.index): number {
  return (
    longest(
      cursor,
      index,
      (text) => cursor.names.isTable(text),
      (is) => is,
    )?.length ?? 0
  );
}

function longest<Found>(
  { tokens, words, names }: Cursor,
  index: number,
  find: (text: string) => Found,
  isFound: (found: Found) => boolean,
): NamedTokens<Found> | undefined {
  const first = tokens[index];
  if (first?.kind !== 'word' || first.text.length > 200) return undefined;
  let most = 1;
  while (most < names.mostWords && tokens[index + most]?.kind === 'word') most++;
  for (let length = most; length > 0; length--) {
    const end = tokens[index + length - 1]?.end ?? first.end;
    if (end - first.start > 400) continue;
    const found = find(words.slice(first.start, end));
    if (isFound(found)) return { found, length };
  }
  return undefined;
}
