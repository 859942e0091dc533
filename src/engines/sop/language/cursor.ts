import type { Place } from '../plan.ts';

/** How far one line of a script has been read. */
export interface Cursor {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** The index of the next character. */
  at: number;
}

const blanks = /\s*/y;
const word = /\S*/y;

/** Moves on to the next character that is not white space. */
export function skipBlanks(cursor: Cursor): void {
  take(cursor, blanks);
}

/** Moves on to the next token, and tells whether there is one; a comment is none. */
export function hasToken(cursor: Cursor): boolean {
  skipBlanks(cursor);
  return cursor.at < cursor.text.length && cursor.text[cursor.at] !== '#';
}

/** Takes all up to white space; empty where that is next. */
export function takeWord(cursor: Cursor): string {
  return take(cursor, word);
}

/** Takes what a sticky pattern matches here; empty where it does not. */
export function take(cursor: Cursor, pattern: RegExp): string {
  const start = cursor.at;
  pattern.lastIndex = start;
  if (pattern.test(cursor.text)) cursor.at = pattern.lastIndex;
  return cursor.text.slice(start, cursor.at);
}

/** Where the next character stands. */
export function placeOfNext({ line, at }: Cursor): Place {
  return { line, column: at + 1 };
}
