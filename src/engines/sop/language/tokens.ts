import { errorAt, type Argument, type ScriptPosition, type SopIssue } from '../index.ts';

/** One thing behind the command of a step. */
export interface ScriptToken {
  readonly argument: Argument;
  /** Neither quoted nor named: only such words can mean more than their text. */
  readonly isBare: boolean;
}

/** Takes all tokens that are left on a line, up to its comment. */
export function readTokens(
  cursor: LineCursor,
  isKey: (word: string) => boolean,
  issues: SopIssue[],
): readonly ScriptToken[] {
  const tokens: ScriptToken[] = [];
  while (hasToken(cursor)) tokens.push(readToken(cursor, isKey, issues));
  return tokens;
}

function readToken(cursor: LineCursor, isKey: (word: string) => boolean, issues: SopIssue[]): ScriptToken {
  const key = takeKey(cursor, isKey);
  const place = placeOfNext(cursor);
  const isQuoted = isQuote(cursor.text[cursor.at]);
  const value: Argument = isQuoted
    ? { kind: 'text', text: readString(cursor, issues), place }
    : readWord(takeWord(cursor), place);
  if (key === undefined) return { argument: value, isBare: !isQuoted };
  return { argument: { ...value, key }, isBare: false };
}

function readWord(word: string, place: ScriptPosition): Argument {
  const isReference = word.startsWith('$') && word.length > 1;
  return isReference
    ? { kind: 'reference', path: word.slice(1), place }
    : { kind: 'text', text: word, place };
}

const keyed = /[^\s=]+=/y;

function takeKey(cursor: LineCursor, isKey: (word: string) => boolean): string | undefined {
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

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Takes the string whose opening quote is next, and gives what it stands for; all that is left where it has no end. */
function readString(cursor: LineCursor, issues: SopIssue[]): string {
  const { text } = cursor;
  const opening = placeOfNext(cursor);
  const quote = text[cursor.at++];
  const plain = quote === '"' ? /[^"\\]*/y : /[^'\\]*/y;
  let value = '';
  while (true) {
    value += take(cursor, plain);
    if (cursor.at === text.length) {
      issues.push(openString(opening));
      return value;
    }
    const place = placeOfNext(cursor);
    if (text[cursor.at++] === quote) return value;
    if (cursor.at === text.length) {
      issues.push(openEscape(place));
      return value;
    }
    const escaped = text[cursor.at++] ?? '';
    value += escapes[escaped] ?? escaped;
  }
}

function openString(place: ScriptPosition): SopIssue {
  return errorAt(
    place,
    'sop.open-string',
    'The string has no end on its line.',
    'Close it with the quote that it began with; write \\n for a new line, or put the text between --begin-text-- and --end-text--.',
  );
}

function openEscape(place: ScriptPosition): SopIssue {
  return errorAt(
    place,
    'sop.open-escape',
    'The line ends with a backslash inside a string.',
    'Write \\\\ for a backslash, and close the string.',
  );
}

/** How far one line of a script has been read. */
export interface LineCursor {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  /** The index of the next character. */
  at: number;
}

const blanks = /\s*/y;
const word = /\S*/y;

/** Moves on to the next character that is not white space. */
export function skipBlanks(cursor: LineCursor): void {
  take(cursor, blanks);
}

/** Moves on to the next token, and tells whether there is one; a comment is none. */
export function hasToken(cursor: LineCursor): boolean {
  skipBlanks(cursor);
  return cursor.at < cursor.text.length && cursor.text[cursor.at] !== '#';
}

/** Takes all up to white space; empty where that is next. */
export function takeWord(cursor: LineCursor): string {
  return take(cursor, word);
}

/** Takes what a sticky pattern matches here; empty where it does not. */
export function take(cursor: LineCursor, pattern: RegExp): string {
  const start = cursor.at;
  pattern.lastIndex = start;
  if (pattern.test(cursor.text)) cursor.at = pattern.lastIndex;
  return cursor.text.slice(start, cursor.at);
}

/** Where the next character stands. */
export function placeOfNext({ line, at }: LineCursor): ScriptPosition {
  return { line, column: at + 1 };
}
