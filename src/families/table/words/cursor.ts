import type { AgentError } from '../../../core/index.ts';
import type { Field, Table, TableClock } from '../table.ts';
import type { Phrases } from './grammar.ts';
import { quote } from '../values/quote.ts';
import { namesOf, type Names } from './names.ts';
import { readTokens, type WordToken } from './tokens.ts';
import { faultAt, unclearAt } from './verdict.ts';

/** The maximum length of text that is interpreted without a model, in characters. */
export const longestWords = 200_000;

/** An item and the number of tokens in its name. */
interface Named<Found> {
  readonly found: Found;
  readonly length: number;
}

/** The current position in the text and the state of the parser. Without an index, methods use the next token. */
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
  /** Returns the token that is `ahead` tokens after the next one. */
  peek(ahead?: number): WordToken | undefined;
  /** Whether the whole text was read. */
  isAtEnd(): boolean;
  /** Returns the longest phrase at a token. A quoted token never matches. */
  find<Meaning>(phrases: Phrases<Meaning>, index?: number): Named<Meaning> | undefined;
  /** Whether a phrase begins at a token. */
  at(phrases: Phrases<unknown>, index?: number): boolean;
  /** Moves past the longest phrase at the next token and returns its meaning. */
  accept<Meaning>(phrases: Phrases<Meaning>): Meaning | undefined;
  /** Moves past all phrases at the next token. */
  skip(phrases: Phrases<unknown>): void;
  /**
   * Returns the field with the longest name of at most `most` words at a token. Throws a question if several
   * fields match.
   */
  field(index?: number, most?: number): Named<Field> | undefined;
  /** Returns the listed values with the longest name at a token. */
  values(index?: number): Named<ReturnType<Names['valuesBy']>> | undefined;
  /** Returns the values that a word describes, also in another form, as "repairs" describes "repaired". */
  described(index?: number): Named<ReturnType<Names['valuesBy']>> | undefined;
  /** Returns the number of tokens in the table's name at a token, or 0. */
  table(index?: number): number;
  /** Returns the offset of a token, or of the end of the text. */
  offset(index?: number): number;
  /** Returns the original text from token `from` up to, but not including, token `to`. */
  text(from: number, to?: number): string;
  /** Returns the error for a mistake at a token. */
  fault(message: string, hint: string, index?: number): AgentError;
  /** Returns the error for an unknown field. Without a hint, suggests similar names or lists some fields. */
  unknownField(name: string, hint?: string, index?: number): AgentError;
  /** Calls `read` and returns to the current token if the result is undefined or false. */
  attempt<Result>(read: () => Result | undefined): Result | undefined;
  /** Calls `read` at a token without moving. */
  ahead<Result>(index: number, read: () => Result): Result;
  /** Calls `read` while `isStop` also ends unquoted values. */
  until<Result>(isStop: (index: number) => boolean, read: () => Result): Result;
}

/** Creates a cursor at the start of the text. */
export function createCursor(table: Pick<Table, 'fields'>, words: string, clock: TableClock): Cursor {
  const names = namesOf(table);
  const tokens = readTokens(words).flatMap((token) => withoutPrefix(token, names));
  const longest = <Found>(
    index: number,
    find: (text: string) => Found | undefined,
    most = names.maxWords,
  ): Named<Found> | undefined => {
    const first = tokens[index];
    if (first?.kind !== 'word' || first.text.length > 200) return undefined;
    let available = 1;
    while (available < most && tokens[index + available]?.kind === 'word') available++;
    for (let length = available; length > 0; length--) {
      const end = tokens[index + length - 1]?.end ?? first.end;
      const found = end - first.start > 400 ? undefined : find(words.slice(first.start, end));
      if (found !== undefined) return { found, length };
    }
    return undefined;
  };
  const cursor: Cursor = {
    words,
    tokens,
    names,
    clock,
    index: 0,
    leaves: 0,
    isLoose: false,
    hasTail: true,
    isStop: () => false,
    peek: (ahead = 0) => tokens[cursor.index + ahead],
    isAtEnd: () => cursor.index >= tokens.length,
    find: (phrases, index = cursor.index) => {
      const token = tokens[index];
      if (token === undefined || token.kind === 'quoted') return undefined;
      const found = phrases
        .get(token.low)
        ?.find((phrase) => phrase.words.every((word, ahead) => tokens[index + ahead]?.low === word));
      return found && { found: found.meaning, length: found.words.length };
    },
    at: (phrases, index) => cursor.find(phrases, index) !== undefined,
    accept: (phrases) => {
      const named = cursor.find(phrases);
      cursor.index += named?.length ?? 0;
      return named?.found;
    },
    skip: (phrases) => {
      while (cursor.accept(phrases) !== undefined);
    },
    field: (index = cursor.index, most) => {
      const named = longest(index, (text) => nonEmpty(names.fieldsBy(text)), most);
      const [field, ...others] = named?.found ?? [];
      if (named === undefined || field === undefined) return undefined;
      if (others.length === 0) return { found: field, length: named.length };
      const options = named.found.map(({ name }) => name);
      const text = cursor.text(index, index + named.length);
      const [at, end] = [cursor.offset(index), tokens[index + named.length - 1]?.end ?? 0];
      throw unclearAt(at, end, `Which field do you mean by "${text}"?`, options);
    },
    values: (index = cursor.index) => longest(index, (text) => nonEmpty(names.valuesBy(text))),
    described: (index = cursor.index) =>
      cursor.values(index) ?? longest(index, (text) => nonEmpty(names.describedBy(text))),
    table: (index = cursor.index) => longest(index, (text) => names.isTable(text) || undefined)?.length ?? 0,
    offset: (index = cursor.index) => tokens[index]?.start ?? words.trimEnd().length,
    text: (from, to = tokens.length) => words.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0),
    fault: (message, hint, index) => faultAt(cursor.offset(index), message, hint),
    unknownField: (name, hint = hintFor(names, name), index = cursor.index) =>
      cursor.fault(`${quote(name)} is not a field of this table.`, hint, index),
    attempt: (read) => {
      const start = cursor.index;
      const result = read();
      if (result === undefined || result === false) cursor.index = start;
      return result;
    },
    ahead: (index, read) => {
      const start = cursor.index;
      cursor.index = index;
      const result = read();
      cursor.index = start;
      return result;
    },
    until: (isEnd, read) => {
      const { isStop } = cursor;
      cursor.isStop = (index) => isEnd(index) || isStop(index);
      const result = read();
      cursor.isStop = isStop;
      return result;
    },
  };
  return cursor;
}

/** Returns a hint with the names most similar to a word or, if none is similar, with some of the fields. */
export function hintFor({ fields, similarTo }: Names, word: string): string {
  const some = fields.slice(0, 8).map(({ name }) => name);
  const more = fields.length > some.length ? ', …' : '';
  return similarTo(word) ?? `The fields are ${some.join(', ')}${more}.`;
}

function nonEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
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
