import type { Field } from '../../table.ts';
import { calls, type ExpressionKind } from './calls.ts';
import type { Expression } from './expression.ts';

/**
 * Returns an expression's type, or undefined if its operand types are incompatible, such as text times a
 * number. Pure.
 */
export function kindOf(
  expression: Expression,
  fieldKind: (field: string) => ExpressionKind,
): ExpressionKind | undefined {
  if ('value' in expression) return valueKind(expression.value);
  if ('field' in expression) return fieldKind(expression.field);
  const kinds: ExpressionKind[] = [];
  for (const part of expression.of) {
    const kind = kindOf(part, fieldKind);
    if (kind === undefined) return undefined;
    kinds.push(kind);
  }
  return 'call' in expression ? callKind(expression.call, kinds) : operatorKind(expression.operator, kinds);
}

/**
 * Returns the type that a field has in expressions. Integers too large for a number are strings of digits,
 * which `number` converts.
 */
export function kindOfField({ type }: Pick<Field, 'type'>): ExpressionKind {
  switch (type) {
    case 'integer':
    case 'decimal':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'bigint':
    case 'json':
    case 'array':
      return 'any';
    default:
      return 'text';
  }
}

function valueKind(value: string | number | boolean | null): ExpressionKind {
  if (value === null) return 'any';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
}

function operatorKind(operator: string, kinds: readonly ExpressionKind[]): ExpressionKind | undefined {
  switch (operator) {
    case '+':
      if (kinds.includes('text')) return 'text';
      return fits(kinds, 'number') ? (kinds.includes('any') ? 'any' : 'number') : undefined;
    case '-':
    case '*':
    case '/':
      return fits(kinds, 'number') ? 'number' : undefined;
    case 'and':
    case 'or':
    case 'not':
      return fits(kinds, 'boolean') ? 'boolean' : undefined;
    case '=':
    case '!=':
      return shared(kinds) === undefined ? undefined : 'boolean';
    default:
      return fits(kinds, 'number') || fits(kinds, 'text') ? 'boolean' : undefined;
  }
}

function callKind(name: string, kinds: readonly ExpressionKind[]): ExpressionKind | undefined {
  const [first = 'any', ...others] = kinds;
  if (name === 'coalesce') return shared(kinds);
  if (name === 'if') return kinds.length === 2 || kinds.length === 3 ? chosen(first, others) : undefined;
  const call = calls.get(name);
  if (call === undefined || kinds.length < call.least || kinds.length > call.most) return undefined;
  const takes = (index: number): ExpressionKind => call.takes[index] ?? call.takes.at(-1) ?? 'any';
  return kinds.every((kind, index) => fits([kind], takes(index))) ? call.gives : undefined;
}

/**
 * Returns the type of an `if` expression. Its branches can have different types, because the target field
 * determines which types are valid.
 */
function chosen(condition: ExpressionKind, branches: readonly ExpressionKind[]): ExpressionKind | undefined {
  return fits([condition], 'boolean') ? (shared(branches) ?? 'any') : undefined;
}

function fits(kinds: readonly ExpressionKind[], expected: ExpressionKind): boolean {
  return expected === 'any' || kinds.every((kind) => kind === expected || kind === 'any');
}

/** Returns the type that all parts share, ignoring `any`. */
function shared(kinds: readonly ExpressionKind[]): ExpressionKind | undefined {
  const known = new Set(kinds.filter((kind) => kind !== 'any'));
  const [only = 'any'] = known;
  return known.size > 1 ? undefined : only;
}
