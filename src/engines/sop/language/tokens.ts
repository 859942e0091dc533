import { errorAt, type PlanArgument, type ScriptPosition, type SopIssue } from '../index.ts';

/** One token after a step's command. */
export interface ScriptToken {
  readonly argument: PlanArgument;
  /** Whether the token has neither quotes nor a name. Only such a token can be a reference or syntax. */
  readonly isBare: boolean;
}

/** Reads the remaining tokens of a line, up to a comment. */
export function readTokens(
  cursor: LineCursor,
  isKey: (name: string) => boolean,
  issues: SopIssue[],
): readonly ScriptToken[] {
  const tokens: ScriptToken[] = [];
  while (hasToken(cursor)) tokens.push(readToken(cursor, isKey, issues));
  return tokens;
}

function readToken(cursor: LineCursor, isKey: (name: string) => boolean, issues: SopIssue[]): ScriptToken {
  const key = takeKey(cursor, isKey);
  const position = nextPosition(cursor);
  const isQuoted = isQuote(cursor.text[cursor.at]);
  const value: PlanArgument = isQuoted
    ? { kind: 'text', text: readString(cursor, issues), position }
    : readWord(takeWord(cursor), position);
  if (key === undefined) return { argument: value, isBare: !isQuoted };
  return { argument: { ...value, key }, isBare: false };
}

function readWord(word: string, position: ScriptPosition): PlanArgument {
  const isReference = word.startsWith('$') && word.length > 1;
  return isReference
    ? { kind: 'reference', path: word.slice(1), position }
    : { kind: 'text', text: word, position };
}

const keyed = /[^\s=]+=/y;

function takeKey(cursor: LineCursor, isKey: (name: string) => boolean): string | undefined {
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

/**
 * Reads the quoted string at the cursor and returns its value. If the closing quote is missing, the string
 * ends at the end of the line.
 */
function readString(cursor: LineCursor, issues: SopIssue[]): string {
  const { text } = cursor;
  const opening = nextPosition(cursor);
  const quote = text[cursor.at++];
  const plain = quote === '"' ? /[^"\\]*/y : /[^'\\]*/y;
  let value = '';
  while (true) {
    value += take(cursor, plain);
    if (cursor.at === text.length) {
      issues.push(openString(opening));
      return value;
    }
    const position = nextPosition(cursor);
    if (text[cursor.at++] === quote) return value;
    if (cursor.at === text.length) {
      issues.push(openEscape(position));
      return value;
    }
    const escaped = text[cursor.at++] ?? '';
    value += escapes[escaped] ?? escaped;
  }
}

function openString(position: ScriptPosition): SopIssue {
  return errorAt(
    position,
    'sop.open-string',
    'The string has no closing quote on its line.',
    'Close it with the same quote that opens it; write \\n for a new line, or put the text between --begin-text-- and --end-text--.',
  );
}

function openEscape(position: ScriptPosition): SopIssue {
  return errorAt(
    position,
    'sop.open-escape',
    'The line ends with a backslash inside a string.',
    'Write \\\\ for a backslash, and close the string.',
  );
}

/** The position up to which a line has been read. */
export interface LineCursor {
  readonly text: string;
  /** The one-based line number. */
  readonly line: number;
  /** The index of the next character. */
  at: number;
}

const whitespace = /\s*/y;
const word = /\S*/y;

/** Moves to the next non-whitespace character. */
export function skipWhitespace(cursor: LineCursor): void {
  take(cursor, whitespace);
}

/** Moves to the next token and returns whether there is one. A comment is not a token. */
export function hasToken(cursor: LineCursor): boolean {
  skipWhitespace(cursor);
  return cursor.at < cursor.text.length && cursor.text[cursor.at] !== '#';
}

/**
 * Reads everything up to the next whitespace. Returns an empty string if the next character is whitespace.
 */
export function takeWord(cursor: LineCursor): string {
  return take(cursor, word);
}

/**
 * Reads the text at the cursor that matches a sticky pattern. Returns an empty string if there is no match.
 */
export function take(cursor: LineCursor, pattern: RegExp): string {
  const start = cursor.at;
  pattern.lastIndex = start;
  if (pattern.test(cursor.text)) cursor.at = pattern.lastIndex;
  return cursor.text.slice(start, cursor.at);
}

/** Returns the script position of the next character. */
export function nextPosition({ line, at }: LineCursor): ScriptPosition {
  return { line, column: at + 1 };
}
