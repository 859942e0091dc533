import { hasToken, placeOfNext, take, takeWord } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import type { Argument, Place } from '../plan.ts';
import { readString } from './read-string.ts';
import type { SopIssue } from '../sop-issue.ts';

/** One thing behind the command of a step. */
export interface Token {
  readonly argument: Argument;
  /** Neither quoted nor named: only such words can mean more than their text. */
  readonly isBare: boolean;
}

/** Takes all tokens that are left on a line, up to its comment. */
export function readTokens(
  cursor: Cursor,
  isKey: (word: string) => boolean,
  issues: SopIssue[],
): readonly Token[] {
  const tokens: Token[] = [];
  while (hasToken(cursor)) tokens.push(readToken(cursor, isKey, issues));
  return tokens;
}

function readToken(cursor: Cursor, isKey: (word: string) => boolean, issues: SopIssue[]): Token {
  const key = takeKey(cursor, isKey);
  const place = placeOfNext(cursor);
  const isQuoted = isQuote(cursor.text[cursor.at]);
  const value: Argument = isQuoted
    ? { kind: 'text', text: readString(cursor, issues), place }
    : readWord(takeWord(cursor), place);
  if (key === undefined) return { argument: value, isBare: !isQuoted };
  return { argument: { ...value, key }, isBare: false };
}

function readWord(word: string, place: Place): Argument {
  const isReference = word.startsWith('$') && word.length > 1;
  return isReference
    ? { kind: 'reference', path: word.slice(1), place }
    : { kind: 'text', text: word, place };
}

const keyed = /[^\s=]+=/y;

function takeKey(cursor: Cursor, isKey: (word: string) => boolean): string | undefined {
  const { at, text } = cursor;
  if (isQuote(text[at]) || text[at] === '$') return undefined;
  const key = take(cursor, keyed).slice(0, -1);
  if (key !== '' && isKey(key)) return key;
  cursor.at = at;
  return undefined;
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}
