import type { TableClock, Field, Table } from '../table.ts';
import { namesOf, type Names } from './names.ts';
import { readTokens } from './read-tokens.ts';
import { unclearAt } from './stop.ts';
import type { WordToken } from './token.ts';

/** The current position in the text and the state of the parser. */
export interface Cursor {
  readonly words: string;
  readonly tokens: readonly WordToken[];
  readonly names: Names;
  readonly clock: TableClock;
  /** The index of the next token. */
  index: number;
  /** The number of comparisons read so far. */
  leaves: number;
  /** Whether the last value was unquoted, so that it is uncertain where the value ends. */
  isLoose: boolean;
  /** Whether an unquoted value ends where a sort order or limit begins. */
  hasTail: boolean;
  /** Whether a token ends an unquoted value in the current kind of request. */
  isStop: (index: number) => boolean;
}

/** Creates a cursor at the start of the text. */
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

/** Reads `unpaid` as `not paid` if `paid` is a boolean field. */
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

/** Returns the token that is `ahead` tokens after the next one. */
export function peek({ tokens, index }: Cursor, ahead = 0): WordToken | undefined {
  return tokens[index + ahead];
}

/** Whether the whole text was read. */
export function isAtEnd({ tokens, index }: Cursor): boolean {
  return index >= tokens.length;
}

/** Returns the offset of a token, or of the end of the text if the token does not exist. */
export function offsetOf({ tokens, words }: Cursor, index: number): number {
  return tokens[index]?.start ?? words.trimEnd().length;
}

/** Whether a token is one of the words or symbols. A quoted token never matches. */
export function isAt({ tokens }: Cursor, index: number, words: ReadonlySet<string>): boolean {
  const token = tokens[index];
  return token !== undefined && token.kind !== 'quoted' && words.has(token.low);
}

/**
 * Moves past the next token and returns true if the token is one of the words or symbols. Otherwise returns
 * false.
 */
export function accept(cursor: Cursor, words: ReadonlySet<string>): boolean {
  if (!isAt(cursor, cursor.index, words)) return false;
  cursor.index++;
  return true;
}

/** Moves past all following tokens that are among the words. */
export function skip(cursor: Cursor, words: ReadonlySet<string>): void {
  while (accept(cursor, words));
}

/** Returns the original text from token `from` up to, but not including, token `to`. */
export function textBetween({ words, tokens }: Cursor, from: number, to: number): string {
  return words.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);
}

/** An item and the number of tokens in its name. */
export interface NamedTokens<Found> {
  readonly found: Found;
  readonly length: number;
}

/**
 * Returns the field with the longest name of at most `most` words at a token. If several fields match, throws
 * a question that asks which one is meant.
 */
export function fieldAt(
  cursor: Cursor,
  index = cursor.index,
  most = cursor.names.maxWords,
): NamedTokens<Field> | undefined {
  const named = longest(
    cursor,
    index,
    (text) => cursor.names.fieldsBy(text),
    (fields) => fields.length > 0,
    most,
  );
  if (named === undefined) return undefined;
  const [field, ...others] = named.found;
  if (field === undefined || others.length === 0) return field && { found: field, length: named.length };
  const [at, end] = [offsetOf(cursor, index), cursor.tokens[index + named.length - 1]?.end ?? 0];
  const options = named.found.map(({ name }) => name);
  throw unclearAt(at, end, `Which field do you mean by "${cursor.words.slice(at, end)}"?`, options);
}

/** Returns the listed values with the longest name that starts at a token. */
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

/** Returns the number of tokens in the table's name at a position, or 0 if the name does not begin there. */
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
  most = names.maxWords,
): NamedTokens<Found> | undefined {
  const first = tokens[index];
  if (first?.kind !== 'word' || first.text.length > 200) return undefined;
  let available = 1;
  while (available < most && tokens[index + available]?.kind === 'word') available++;
  for (let length = available; length > 0; length--) {
    const end = tokens[index + length - 1]?.end ?? first.end;
    if (end - first.start > 400) continue;
    const found = find(words.slice(first.start, end));
    if (isFound(found)) return { found, length };
  }
  return undefined;
}
