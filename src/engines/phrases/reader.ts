import type { Phrases } from './phrases.ts';
import type { WordToken } from './tokens.ts';

/** An item and the number of tokens in its name. */
export interface Named<Found> {
  readonly found: Found;
  readonly length: number;
}

/** A position in a text that is read phrase by phrase. Without an index, methods use the next token. */
export interface PhraseReader {
  readonly words: string;
  readonly tokens: readonly WordToken[];
  /** The index of the next token. */
  index: number;
  /** Returns the token that is `ahead` tokens after the next one. */
  peek(ahead?: number): WordToken | undefined;
  /** Whether the whole text was read. */
  isAtEnd(): boolean;
  /** Returns the longest phrase at a token. A quoted token never matches. */
  find<Meaning>(phrases: Phrases<Meaning>, index?: number): Named<Meaning> | undefined;
  /** Returns the longest run of words at a token, of at most `most` words, for which `find` returns something. */
  longest<Found>(
    index: number,
    most: number,
    find: (text: string) => Found | undefined,
  ): Named<Found> | undefined;
  /** Whether a phrase begins at a token. */
  at(phrases: Phrases<unknown>, index?: number): boolean;
  /** Moves past the longest phrase at the next token and returns its meaning. */
  accept<Meaning>(phrases: Phrases<Meaning>): Meaning | undefined;
  /** Moves past all phrases at the next token. */
  skip(phrases: Phrases<unknown>): void;
  /** Returns the offset of a token, or of the end of the text. */
  offset(index?: number): number;
  /** Returns the original text from token `from` up to, but not including, token `to`. */
  text(from: number, to?: number): string;
  /** Calls `read` and returns to the current token if the result is undefined or false. */
  attempt<Result>(read: () => Result | undefined): Result | undefined;
  /** Calls `read` at a token without moving. */
  ahead<Result>(index: number, read: () => Result): Result;
}

/** Creates a reader at the first of the tokens of a text. */
export function createPhraseReader(words: string, tokens: readonly WordToken[]): PhraseReader {
  const reader: PhraseReader = {
    words,
    tokens,
    index: 0,
    peek: (ahead = 0) => tokens[reader.index + ahead],
    isAtEnd: () => reader.index >= tokens.length,
    find: (phrases, index = reader.index) => {
      const token = tokens[index];
      if (token === undefined || token.kind === 'quoted') return undefined;
      const found = phrases
        .get(token.low)
        ?.find((phrase) => phrase.words.every((word, ahead) => tokens[index + ahead]?.low === word));
      return found && { found: found.meaning, length: found.words.length };
    },
    longest: (index, most, find) => {
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
    },
    at: (phrases, index) => reader.find(phrases, index) !== undefined,
    accept: (phrases) => {
      const named = reader.find(phrases);
      reader.index += named?.length ?? 0;
      return named?.found;
    },
    skip: (phrases) => {
      while (reader.accept(phrases) !== undefined);
    },
    offset: (index = reader.index) => tokens[index]?.start ?? words.trimEnd().length,
    text: (from, to = tokens.length) => words.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0),
    attempt: (read) => {
      const start = reader.index;
      const result = read();
      if (result === undefined || result === false) reader.index = start;
      return result;
    },
    ahead: (index, read) => {
      const start = reader.index;
      reader.index = index;
      const result = read();
      reader.index = start;
      return result;
    },
  };
  return reader;
}
