import type { Json } from '../../core/index.ts';
import { operations, type ExpressionKind } from './operations.ts';

/**
 * An expression over the fields of a record. `call` is the name of an operator or function. An expression has
 * no value if any of its operands has none, except in `coalesce`, `if`, a comparison with `null`, and an `and`
 * or `or` whose result is already determined by the other operand.
 */
export type Expression =
  | { readonly value: string | number | boolean | null }
  | { readonly field: string }
  | { readonly call: string; readonly of: readonly Expression[] };

/** A field that expressions can name. `integer`, `decimal`, `boolean`, `bigint`, `json` and `array` are special. */
interface NamedField {
  readonly name: string;
  readonly type: string;
}

/** Finds a field by name, in any spelling variant. */
export type FindField = (name: string) => NamedField | undefined;

/**
 * Parses text as an expression, with or without backticks. The expression can begin with `=`, optionally
 * preceded by the name of the field `own`. Returns undefined for prose. Pure, never throws.
 */
export function readExpression(text: string, find: FindField, own?: string): Expression | undefined {
  const tokens = readTokens(plainText(text));
  const expression = tokens && parse(tokens, find, own);
  return expression && kindOf(expression, find) !== undefined ? expression : undefined;
}

/**
 * Evaluates an expression for a record. Returns null if a required part has no value or cannot be computed.
 * Pure, never throws.
 */
export function evaluate(expression: Expression, row: Readonly<Record<string, Json>>): Json {
  if ('value' in expression) return expression.value === '' ? null : expression.value;
  if ('field' in expression)
    return Object.hasOwn(row, expression.field) ? (row[expression.field] ?? null) : null;
  const operation = operations.get(expression.call);
  if (operation === undefined) return null;
  const isText = operation.missing !== 'empty is missing';
  const operands = expression.of.map((part) => (isText && isEmptyText(part) ? '' : evaluate(part, row)));
  return operation.missing === undefined && operands.includes(null) ? null : operation.work(operands);
}

function isEmptyText(part: Expression): boolean {
  return 'value' in part && part.value === '';
}

/**
 * Returns an expression's type, or undefined if its operand types are incompatible, such as text times a
 * number. Integers too large for a number are strings of digits, which `number` converts.
 */
function kindOf(expression: Expression, find: FindField): ExpressionKind | undefined {
  if ('value' in expression) return kindOfValue(expression.value);
  if ('field' in expression) return kindsOfFields[find(expression.field)?.type ?? 'json'] ?? 'text';
  const operation = operations.get(expression.call);
  const kinds = expression.of.map((part) => kindOf(part, find)).filter((kind) => kind !== undefined);
  if (operation === undefined || kinds.length < expression.of.length) return undefined;
  return kinds.length < operation.least || kinds.length > operation.most ? undefined : operation.kind(kinds);
}

const kindsOfFields: Readonly<Partial<Record<string, ExpressionKind>>> = {
  integer: 'number',
  decimal: 'number',
  boolean: 'boolean',
  bigint: 'any',
  json: 'any',
  array: 'any',
};

function kindOfValue(value: Json): ExpressionKind {
  if (value === null) return 'any';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
}

/** Removes the backticks or code fence around text, and a final full stop. */
function plainText(text: string): string {
  const bare = text.trim().replace(/^[-*+]\s+(?=`)/, '');
  const fence = /^(?:```|~~~)[^\n]*\n([^`~]*?)\n?(?:```|~~~)$/.exec(bare);
  return (fence?.[1] ?? bare.replace(/^`+([^`]+)`+\.?$/, '$1')).trim().replace(/\.$/, '');
}

/** A token. A `name` was in brackets. A `word` was not; several words may form one name. */
interface ExpressionToken {
  readonly kind: 'number' | 'text' | 'name' | 'word' | 'sign';
  readonly text: string;
}

const longest = 2000; // The maximum length of an expression, in characters.
const most = 500; // The maximum number of tokens.

/** Splits an expression into tokens. Returns undefined for text that cannot be one. Runs in linear time. */
function readTokens(text: string): readonly ExpressionToken[] | undefined {
  if (text.length > longest) return undefined;
  const tokens: ExpressionToken[] = [];
  for (let at = 0; at < text.length; at = form.lastIndex) {
    form.lastIndex = at;
    const { space, number, text: quoted, name, word, sign } = form.exec(text)?.groups ?? {};
    if (space !== undefined) continue;
    if (tokens.length === most) return undefined;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (quoted !== undefined)
      tokens.push({ kind: 'text', text: quoted.slice(1, -1).replace(/\\(.)/gs, '$1') });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.trim() });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: plainSigns.get(sign) ?? sign });
    else return undefined;
  }
  return tokens;
}

const form = new RegExp(
  [
    String.raw`(?<space>\s+)`,
    String.raw`(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?![\p{L}\p{N}_.]))`,
    String.raw`(?<text>"(?:[^"\\]|\\["'\\])*"|'(?:[^'\\]|\\["'\\])*')`,
    String.raw`\[(?<name>[^\][]+)\]`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{M}\p{N}_]*)`,
    String.raw`(?<sign>===?|!==?|<>|<=|>=|&&|\|\||[-+*/=<>!(),≠≤≥×÷−])`,
  ].join('|'),
  'uy',
);

/** Maps alternative spellings of operators to the standard ones. */
const plainSigns: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['===', '='],
  ['!==', '!='],
  ['<>', '!='],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

/** The precedence of the binary operators. That of `not` is between `and` and the comparisons. */
const precedence: ReadonlyMap<string, number> = new Map([
  ['or', 1],
  ['and', 2],
  ...['=', '!=', '<', '<=', '>', '>='].map((sign): [string, number] => [sign, 4]),
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
]);
const [lowest, negation, comparison] = [1, 3, 4];
const deepest = 40; // The maximum nesting depth.

const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const keywords: ReadonlySet<string> = new Set(['and', 'or', 'not', ...constants.keys()]);

/** Parses tokens as one expression. Returns undefined if they are not an expression. */
function parse(
  tokens: readonly ExpressionToken[],
  find: FindField,
  own: string | undefined,
): Expression | undefined {
  let at = 0;
  let depth = 0;

  const wordAt = (index: number): string =>
    tokens[index]?.kind === 'word' ? tokens[index].text.toLowerCase() : '';
  const signAt = (index: number): string =>
    tokens[index]?.kind === 'sign' ? tokens[index].text : wordAt(index);
  const take = (...signs: readonly string[]): string | undefined => {
    const sign = signAt(at);
    if (!signs.includes(sign)) return undefined;
    at++;
    return sign;
  };

  /** Parses operands and the operators between them, down to a precedence. */
  function read(level: number): Expression | undefined {
    let most = Infinity; // What follows can only have this precedence. Comparisons cannot be chained.
    let left: Expression | undefined;
    if (level <= negation && findNamed(tokens, at, find) === undefined && take('not') !== undefined) {
      const inner = deeper(() => read(negation));
      left = inner && { call: 'not', of: [inner] };
      most = negation - 1;
    } else left = readSigned();
    while (left !== undefined) {
      const sign = signAt(at);
      const own = precedence.get(sign) ?? 0;
      if (own < level || own > most) return left;
      at++;
      const right = read(own + 1);
      left = right && combine(sign, left, right);
      most = own === comparison ? own - 1 : own;
    }
    return undefined;
  }

  function readSigned(): Expression | undefined {
    if (take('-') === undefined) return readOne();
    const inner = deeper(readSigned);
    if (inner === undefined) return undefined;
    return 'value' in inner && typeof inner.value === 'number'
      ? { value: 0 - inner.value }
      : { call: '-x', of: [inner] };
  }

  function readOne(): Expression | undefined {
    const { kind, text = '' } = tokens[at] ?? {};
    if (take('(') !== undefined) {
      const inner = deeper(() => read(lowest));
      return take(')') === undefined ? undefined : inner;
    }
    if (kind === 'number' || kind === 'text') {
      at++;
      return { value: kind === 'number' ? Number(text) : text };
    }
    const word = wordAt(at);
    if (signAt(at + 1) === '(' && operations.has(word) && !keywords.has(word)) return readCall(word);
    const named = findNamed(tokens, at, find);
    const value = constants.get(word);
    at += named?.length ?? (value === undefined ? 0 : 1);
    if (named === undefined) return value === undefined ? undefined : { value };
    const field = { field: named.field.name };
    return named.field.type === 'bigint' ? { call: 'number', of: [field] } : field;
  }

  function readCall(name: string): Expression | undefined {
    at += 2;
    const of: Expression[] = [];
    do {
      const part = deeper(() => read(lowest));
      if (part === undefined) break;
      of.push(part);
      if (take(')') !== undefined) return { call: name, of };
    } while (take(',') !== undefined);
    at = Infinity; // Parsing fails without trying alternatives.
    return undefined;
  }

  /** Parses a nested expression. Returns undefined if it is nested too deeply. */
  function deeper(work: () => Expression | undefined): Expression | undefined {
    if (depth === deepest) return undefined;
    depth++;
    const inner = work();
    depth--;
    return inner;
  }

  const head = findNamed(tokens, 0, find);
  if (head !== undefined && head.field.name === own && signAt(head.length) === '=') at = head.length;
  take('=');
  const whole = read(lowest);
  return at === tokens.length ? whole : undefined;
}

/** Combines operands. A comparison with a literal null or empty string tests for a missing value. */
function combine(sign: string, left: Expression, right: Expression): Expression {
  const isNothing = (part: Expression): boolean =>
    'value' in part && (part.value === null || part.value === '');
  const of = [left, right];
  return { call: (sign === '=' || sign === '!=') && of.some(isNothing) ? `${sign} null` : sign, of };
}

const maxWords = 8;

/**
 * Finds the field name at a token position and returns the number of its tokens: one bracketed name, or the
 * longest matching sequence of words. A keyword alone is not a field name.
 */
function findNamed(
  tokens: readonly ExpressionToken[],
  from: number,
  find: FindField,
): { readonly field: NonNullable<ReturnType<FindField>>; readonly length: number } | undefined {
  const [first, ...others] = tokens.slice(from, from + maxWords);
  if (first === undefined) return undefined;
  const end = others.findIndex(({ kind }) => kind !== 'word');
  const isBare = first.kind === 'word';
  const words = isBare
    ? [first, ...(end < 0 ? others : others.slice(0, end))]
    : first.kind === 'name'
      ? [first]
      : [];
  for (let length = words.length; length > 0; length--) {
    if (isBare && length === 1 && keywords.has(first.text.toLowerCase())) return undefined;
    const name = words.slice(0, length).map(({ text }) => text);
    const field = find(name.join(' '));
    if (field !== undefined) return { field, length };
  }
  return undefined;
}
