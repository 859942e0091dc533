import { calls } from './calls.ts';
import { findNamed, type FindField } from './names.ts';
import type { ExpressionToken } from './tokens.ts';
import type { Expression } from './expression.ts';

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

/** A reader that converts tokens to one expression. */
interface ExpressionReader {
  /** Skips a leading `=`, along with the field's own name if the name precedes it. */
  skipHead(own: string | undefined): void;
  /** Parses all remaining tokens. Returns undefined if they are not an expression. */
  readWhole(): Expression | undefined;
}

type Operator = Extract<Expression, { readonly operator: unknown }>['operator'];

/** Creates a reader positioned at the first token. */
export function createReader(tokens: readonly ExpressionToken[], find: FindField): ExpressionReader {
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
    if (findNamed(tokens, at, find) !== undefined || takeSign('not') === undefined) return read(unary + 1);
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
      if (part === undefined) return fail();
      of.push(part);
    } while (takeSign(',') !== undefined);
    return takeSign(')') === undefined ? fail() : { call: name, of };
  }

  function readName(): Expression | undefined {
    const token = tokens[at];
    const named = findNamed(tokens, at, find);
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

  /** Makes parsing fail immediately, without trying alternatives. */
  function fail(): Expression | undefined {
    at = Infinity;
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

  return {
    skipHead(own) {
      const named = findNamed(tokens, 0, find);
      if (named !== undefined && named.field.name === own && signAt(named.length) === '=') at = named.length;
      takeSign('=');
    },
    readWhole() {
      const whole = read(0);
      return at === tokens.length ? whole : undefined;
    },
  };
}

const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
