import type { Field } from '../table.ts';
import { calls } from './expression-calls.ts';
import { kindOf, kindOfField } from './expression-kind.ts';
import { readTokens, type Token } from './expression-tokens.ts';
import type { Expression } from './expression.ts';

/**
 * The expression that a text is, bare or as code, perhaps behind `=` or behind the name of the field `own` and `=`;
 * undefined for everything else, which then is prose. Pure, never throws.
 */
export function readExpression(text: string, find: FindField, own?: string): Expression | undefined {
  const tokens = readTokens(plainText(text));
  if (tokens === undefined) return undefined;
  const reader = createReader(tokens, find);
  reader.skipHead(own);
  const expression = reader.readWhole();
  if (expression === undefined) return undefined;
  const fieldKind = (name: string): ReturnType<typeof kindOfField> =>
    kindOfField(find(name) ?? { type: 'json' });
  return kindOf(expression, fieldKind) === undefined ? undefined : expression;
}

/** Finds a field in any spelling of its name. */
export type FindField = (name: string) => Pick<Field, 'name' | 'type'> | undefined;

/** Without code marks and a final full stop. */
function plainText(text: string): string {
  const bare = text.trim().replace(/^[-*+]\s+(?=`)/, '');
  const fence = /^(?:```|~~~)[^\n]*\n([^`~]*?)\n?(?:```|~~~)$/.exec(bare);
  return (fence?.[1] ?? bare.replace(/^`+([^`]+)`+\.?$/, '$1')).trim().replace(/\.$/, '');
}

const deepest = 40;
const levels: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['not'],
  ['=', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/'],
];
const [comparisons, unary] = [3, 2];

interface Reader {
  skipHead(own: string | undefined): void;
  readWhole(): Expression | undefined;
}

type Operator = Extract<Expression, { readonly operator: unknown }>['operator'];

function createReader(tokens: readonly Token[], find: FindField): Reader {
  let at = 0;
  let depth = 0;

  const signAt = (index: number): string | undefined => {
    const token = tokens[index];
    if (token?.kind === 'sign') return token.sign;
    const word = token?.kind === 'word' ? token.word.toLowerCase() : '';
    return ['and', 'or', 'not'].includes(word) ? word : undefined;
  };
  const takeSign = (...signs: readonly string[]): string | undefined => {
    const sign = signAt(at);
    if (sign === undefined || !signs.includes(sign)) return undefined;
    at++;
    return sign;
  };

  function read(level: number): Expression | undefined {
    const signs = levels[level];
    if (signs === undefined) return readSigned();
    if (level === unary) return readNegated();
    let left = read(level + 1);
    for (let count = 0; left !== undefined; count++) {
      const sign = level === comparisons && count > 0 ? undefined : takeSign(...signs);
      if (sign === undefined) return left;
      const right = read(level + 1);
      left = right && { operator: sign as Operator, of: [left, right] };
    }
    return undefined;
  }

  function readNegated(): Expression | undefined {
    if (namedFrom(at) !== undefined || takeSign('not') === undefined) return read(unary + 1);
    const inner = deeper(readNegated);
    return inner && { operator: 'not', of: [inner] };
  }

  function readSigned(): Expression | undefined {
    if (takeSign('-') === undefined) return readOne();
    const inner = deeper(readSigned);
    if (inner === undefined) return undefined;
    return 'value' in inner && typeof inner.value === 'number'
      ? { value: 0 - inner.value }
      : { operator: '-', of: [inner] };
  }

  function readOne(): Expression | undefined {
    const token = tokens[at];
    if (takeSign('(') !== undefined) {
      const inner = deeper(() => read(0));
      return takeSign(')') === undefined ? undefined : inner;
    }
    if (token?.kind === 'value') {
      at++;
      return { value: token.value };
    }
    return readCall() ?? readName();
  }

  function readCall(): Expression | undefined {
    const token = tokens[at];
    const name = token?.kind === 'word' ? token.word.toLowerCase() : '';
    const isCall = signAt(at + 1) === '(' && (calls.has(name) || name === 'if' || name === 'coalesce');
    if (!isCall) return undefined;
    at += 2;
    const of: Expression[] = [];
    do {
      const part = deeper(() => read(0));
      if (part === undefined) return undefined;
      of.push(part);
    } while (takeSign(',') !== undefined);
    return takeSign(')') === undefined ? undefined : { call: name, of };
  }

  function readName(): Expression | undefined {
    const token = tokens[at];
    const named = namedFrom(at);
    if (named !== undefined) {
      at += named.length;
      const field = { field: named.field.name };
      return named.field.type === 'bigint' ? { call: 'number', of: [field] } : field;
    }
    const word = token?.kind === 'word' ? token.word.toLowerCase() : '';
    if (!constants.has(word)) return undefined;
    at++;
    return { value: constants.get(word) ?? null };
  }

  /** The field that the most words from here name; a keyword alone names none. */
  function namedFrom(
    from: number,
  ): { readonly field: NonNullable<ReturnType<FindField>>; readonly length: number } | undefined {
    const first = tokens[from];
    if (first?.kind === 'name') {
      const field = find(first.name);
      return field && { field, length: 1 };
    }
    const run = tokens.slice(from, from + mostWords);
    const end = run.findIndex(({ kind }) => kind !== 'word');
    const words = (end < 0 ? run : run.slice(0, end)).map((token) => ('word' in token ? token.word : ''));
    for (let length = words.length; length > 0; length--) {
      if (length === 1 && keywords.has(words[0]?.toLowerCase() ?? '')) return undefined;
      const field = find(words.slice(0, length).join(' '));
      if (field !== undefined) return { field, length };
    }
    return undefined;
  }

  /** Something inside of something; too deep it is nothing. */
  function deeper(work: () => Expression | undefined): Expression | undefined {
    if (depth === deepest) return undefined;
    depth++;
    const inner = work();
    depth--;
    return inner;
  }

  return {
    skipHead(own) {
      const named = namedFrom(0);
      if (named !== undefined && named.field.name === own && signAt(named.length) === '=') at = named.length;
      takeSign('=');
    },
    readWhole() {
      const whole = read(0);
      return at === tokens.length ? whole : undefined;
    },
  };
}

const mostWords = 8;
const keywords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'true', 'false', 'null']);
const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
