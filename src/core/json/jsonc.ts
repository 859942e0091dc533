import type * as JsoncParser from 'jsonc-parser';
import type { JSONPath, JSONVisitor, ParseOptions } from 'jsonc-parser';
import { deepestJson, parseJson, toSafeJson, type Json } from '../json.ts';
import { loadPackage } from '../package-files.ts';

/**
 * Returns the parser for JSON with comments. It is loaded on first use because most files are plain JSON and
 * do not need it.
 */
export function jsoncParser(): typeof JsoncParser {
  return loadPackage('jsonc-parser') as typeof JsoncParser;
}

/** A problem in JSON text. */
export interface JsonFault {
  /** A description of the problem, worded to end a sentence. It never quotes the JSON text. */
  readonly message: string;
  /** The one-based line number. */
  readonly line: number;
  /** The one-based column number. */
  readonly column: number;
}

type ParsedJson = { readonly ok: true; readonly value: Json } | ({ readonly ok: false } & JsonFault);

/** Parser options for settings files, which may have comments and trailing commas. */
export const jsoncOptions: ParseOptions = { allowTrailingComma: true };

/**
 * Parses JSON that may have comments, trailing commas and a byte order mark. If a key is repeated, the last
 * value is used. Unsafe keys are dropped. Never throws.
 */
export function parseJsonWithComments(text: string): ParsedJson {
  const plain = parseJson(text);
  if (plain !== undefined) return { ok: true, value: plain };
  const source = maskByteOrderMark(text);
  const fault = findFault(source, jsoncOptions);
  if (fault !== undefined) return { ok: false, ...fault };
  return { ok: true, value: toSafeJson(jsoncParser().parse(source, [], jsoncOptions)) };
}

/** Finds the problem in text that `parseJson` rejected. Never throws. */
export function jsonFault(text: string): JsonFault {
  const fault = findFault(text, { disallowComments: true });
  return fault ?? { message: 'it cannot be parsed', line: 1, column: 1 };
}

/**
 * Replaces the byte order mark with a space, because the parser does not support it. All offsets stay the
 * same. Pure.
 */
export function maskByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, ' ');
}

const found = new Error('The search for a problem ended.');

/** Finds the first problem in JSON text. Stops if the nesting is too deep for the recursive parser. */
function findFault(text: string, options: ParseOptions): JsonFault | undefined {
  let depth = 0;
  let fault: JsonFault | undefined;
  const stop = (message: string, line: number, column: number): never => {
    fault = { message, line: line + 1, column: column + 1 };
    throw found;
  };
  const enter = (_offset: number, _length: number, line: number, column: number): void => {
    if (++depth > deepestJson) stop('it is nested too deeply', line, column);
  };
  const leave = (): void => {
    depth--;
  };
  const { printParseErrorCode, visit } = jsoncParser();
  const visitor: JSONVisitor = {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onLiteralValue(value, offset, length, line, column) {
      enter(offset, length, line, column);
      leave();
      if (value === Infinity || value === -Infinity) stop('a number is out of range', line, column);
    },
    onError: (code, _offset, _length, line, column) =>
      stop(messages[printParseErrorCode(code)] ?? 'it cannot be parsed', line, column),
  };
  try {
    visit(text, visitor, options);
  } catch (thrown) {
    if (thrown !== found) throw thrown;
  }
  return fault;
}

const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected text',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a double-quoted property name',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon after the property name',
  CommaExpected: 'expected a comma or a closing bracket',
  CloseBraceExpected: 'the closing "}" is missing',
  CloseBracketExpected: 'the closing "]" is missing',
  EndOfFileExpected: 'unexpected text after the end',
  InvalidCommentToken: 'comments are not allowed here',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: 'invalid \\u escape in a string',
  InvalidEscapeCharacter: 'invalid escape in a string',
  InvalidCharacter: 'control character in a string',
};

/** An object property or list item, with all values nested in it. */
interface IndexedKey {
  readonly line: number;
  readonly below: Map<string, IndexedKey>;
}

/**
 * Returns a function that finds a property's line by its dotted path, such as `mcpServers.docs.args.0`. If a
 * key is repeated, the line of the last one is returned. The text is parsed once, on the first lookup. For
 * invalid text, the function returns undefined.
 */
export function indexLines(text: string): (path: string) => number | undefined {
  let root: IndexedKey | undefined;
  return (path) => findKey((root ??= indexKeys(maskByteOrderMark(text))), path)?.line;
}

function indexKeys(text: string): IndexedKey {
  const root: IndexedKey = { line: 1, below: new Map() };
  if (findFault(text, jsoncOptions) !== undefined) return root;
  const add = (parents: JSONPath, key: string, line: number): void => {
    const parent = parents.reduce<IndexedKey>((at, name) => at.below.get(String(name)) ?? at, root);
    parent.below.set(key, { line: line + 1, below: new Map() });
  };
  const addItem = (line: number, path: JSONPath): void => {
    const index = path.pop();
    if (typeof index === 'number') add(path, String(index), line);
  };
  const visitor: JSONVisitor = {
    onObjectProperty: (key, _offset, _length, line, _column, path) => add(path(), key, line),
    onObjectBegin: (_offset, _length, line, _column, path) => addItem(line, path()),
    onArrayBegin: (_offset, _length, line, _column, path) => addItem(line, path()),
    onLiteralValue: (_value, _offset, _length, line, _column, path) => addItem(line, path()),
  };
  jsoncParser().visit(text, visitor, jsoncOptions);
  return root;
}

// The maximum number of dots at which to try splitting a path. This limits the cost of a lookup.
const maxDots = 100;

/** Finds a property by its dotted path. A key can contain dots, so each dot may or may not be a separator. */
function findKey({ below }: IndexedKey, path: string): IndexedKey | undefined {
  const exact = below.get(path);
  let dot = exact === undefined ? path.indexOf('.') : -1;
  for (let tried = 0; dot >= 0 && tried < maxDots; tried++, dot = path.indexOf('.', dot + 1)) {
    const first = below.get(path.slice(0, dot));
    const inner = first === undefined ? undefined : findKey(first, path.slice(dot + 1));
    if (inner !== undefined) return inner;
  }
  return exact;
}
