import { quote, type AgentError } from '../../../core/index.ts';
import { createPhraseReader, type Named, type PhraseReader } from '../../../engines/phrases/reader.ts';
import { readTokens, type WordToken } from '../../../engines/phrases/tokens.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import type { Field, Table } from '../table.ts';
import { namesOf, type Names } from './names.ts';
import { faultAt, unclearAt } from './verdict.ts';

/** The maximum length of text that is interpreted without a model, in characters. */
export const longestWords = 200_000;

type FoundValues = Named<ReturnType<Names['valuesBy']>> | undefined;

/** The current position in the text and the state of the parser. */
export interface Cursor extends PhraseReader {
  readonly names: Names;
  readonly clock: LocalClock;
  /** The number of comparisons read so far. */
  leaves: number;
  /** Whether the last value was unquoted, so that it is uncertain where the value ends. */
  isLoose: boolean;
  /** Whether an unquoted value ends where a sort order or limit begins. */
  hasTail: boolean;
  /** Whether a token ends an unquoted value in the current kind of request. */
  isStop: (index: number) => boolean;
  /**
   * Returns the field with the longest name of at most `most` words at a token. Throws a question if several
   * fields match.
   */
  field(index?: number, most?: number): Named<Field> | undefined;
  /** Returns the listed values with the longest name at a token. */
  values(index?: number): FoundValues;
  /** Returns the values that a word describes, also in another form, as "repairs" describes "repaired". */
  described(index?: number): FoundValues;
  /** Returns the number of tokens in the table's name at a token, or 0. */
  table(index?: number): number;
  /** Returns the error for a mistake at a token. */
  fault(message: string, hint: string, index?: number): AgentError;
  /** Returns the error for an unknown field. Without a hint, suggests similar names or lists some fields. */
  unknownField(name: string, hint?: string, index?: number): AgentError;
  /** Calls `read` while `isStop` also ends unquoted values. */
  until<Result>(isStop: (index: number) => boolean, read: () => Result): Result;
}

/** Creates a cursor at the start of the text. */
export function createCursor(table: Pick<Table, 'fields'>, words: string, clock: LocalClock): Cursor {
  const names = namesOf(table);
  const { maxWords } = names;
  const unclosed = (at: number, sign: string): AgentError =>
    faultAt(at, `The quote ${sign} is not closed.`, 'Close or remove the quote.');
  const tokens = readTokens(words, unclosed).flatMap((token) => withoutPrefix(token, names));
  const reader = createPhraseReader(words, tokens);
  const cursor: Cursor = Object.assign(reader, {
    names,
    clock,
    leaves: 0,
    isLoose: false,
    hasTail: true,
    isStop: (): boolean => false,
    field: (index = cursor.index, most = maxWords) => {
      const named = cursor.longest(index, most, (text) => nonEmpty(names.fieldsBy(text)));
      const [field, ...others] = named?.found ?? [];
      if (named === undefined || field === undefined) return undefined;
      if (others.length === 0) return { found: field, length: named.length };
      const options = named.found.map(({ name }) => name);
      const text = cursor.text(index, index + named.length);
      const [at, end] = [cursor.offset(index), tokens[index + named.length - 1]?.end ?? 0];
      throw unclearAt(at, end, `Which field do you mean by "${text}"?`, options);
    },
    values: (index = cursor.index) =>
      cursor.longest(index, maxWords, (text) => nonEmpty(names.valuesBy(text))),
    described: (index = cursor.index) =>
      cursor.values(index) ?? cursor.longest(index, maxWords, (text) => nonEmpty(names.describedBy(text))),
    table: (index = cursor.index) =>
      cursor.longest(index, maxWords, (text) => names.isTable(text) || undefined)?.length ?? 0,
    fault: (message, hint, index) => faultAt(cursor.offset(index), message, hint),
    unknownField: (name, hint = hintFor(names, name), index = cursor.index) =>
      cursor.fault(`${quote(name)} is not a field of this table.`, hint, index),
    until: (isEnd, read) => {
      const { isStop } = cursor;
      cursor.isStop = (index) => isEnd(index) || isStop(index);
      const result = read();
      cursor.isStop = isStop;
      return result;
    },
  } satisfies Omit<Cursor, keyof PhraseReader>);
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
