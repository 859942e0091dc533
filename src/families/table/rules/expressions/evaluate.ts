import type { Json } from '../../../../core/index.ts';
import { compareText, foldText } from '../../request/compare-values.ts';
import type { TableRow } from '../../table.ts';
import { calls, joined } from './calls.ts';
import type { Expression } from './expression.ts';
import { tidy } from './round-to.ts';

/**
 * Evaluates an expression for a record. Returns null if a required part has no value or cannot be computed.
 * Pure, never throws.
 */
export function evaluate(expression: Expression, row: TableRow): Json {
  if ('value' in expression) return expression.value === '' ? null : expression.value;
  if ('field' in expression)
    return Object.hasOwn(row, expression.field) ? (row[expression.field] ?? null) : null;
  return 'call' in expression
    ? callOf(expression.call, expression.of, row)
    : operate(expression.operator, expression.of, row);
}

function callOf(name: string, of: readonly Expression[], row: TableRow): Json {
  if (name === 'if') return chosen(of, row);
  if (name === 'coalesce') return firstOf(of, row);
  const given = of.map((part) => literal(part) ?? evaluate(part, row));
  if (given.includes(null)) return null;
  return settled(calls.get(name)?.work(given) ?? null);
}

/**
 * Returns an empty string for an empty string literal, or undefined for any other expression. Inside a
 * function or a sum, an empty string is treated as text. In a record, it means a missing value.
 */
function literal(part: Expression): Json | undefined {
  return 'value' in part && part.value === '' ? '' : undefined;
}

function chosen([condition, yes, no]: readonly Expression[], row: TableRow): Json {
  const branch = condition !== undefined && evaluate(condition, row) === true ? yes : no;
  return branch === undefined ? null : evaluate(branch, row);
}

function firstOf(of: readonly Expression[], row: TableRow): Json {
  for (const part of of) {
    const value = literal(part) ?? evaluate(part, row);
    if (value !== null) return value;
  }
  return null;
}

function operate(
  operator: Extract<Expression, { readonly operator: unknown }>['operator'],
  of: readonly Expression[],
  row: TableRow,
): Json {
  const [first, second] = of;
  if (first === undefined) return null;
  if ((operator === '=' || operator === '!=') && second !== undefined && of.some(isNothing))
    return of.every((part) => evaluate(part, row) === null) === (operator === '=');
  if (operator === 'and' || operator === 'or') return decided(of, row, operator === 'or');
  const left = literal(first) ?? evaluate(first, row);
  if (left === null) return null;
  if (second === undefined) return alone(operator, left);
  const right = literal(second) ?? evaluate(second, row);
  return right === null ? null : settled(together(operator, left, right));
}

/**
 * Evaluates `and` or `or`. An operand equal to `verdict` (false for `and`, true for `or`) determines the
 * result, regardless of the other operands.
 */
function decided(of: readonly Expression[], row: TableRow, verdict: boolean): Json {
  const parts = of.map((part) => evaluate(part, row));
  if (parts.includes(verdict)) return verdict;
  return parts.every((part) => part === !verdict) ? !verdict : null;
}

/** Whether an operand is a literal null or empty string. A comparison with it tests for a missing value. */
function isNothing(part: Expression): boolean {
  return 'value' in part && (part.value === null || part.value === '');
}

function alone(operator: string, value: Json): Json {
  if (operator === 'not') return typeof value === 'boolean' ? !value : null;
  return typeof value === 'number' ? 0 - value : null;
}

function together(operator: string, left: Json, right: Json): Json {
  if (operator === '+' && (typeof left === 'string' || typeof right === 'string'))
    return joined([left, right]);
  if (operator === '=') return isSame(left, right);
  if (operator === '!=') return !isSame(left, right);
  if (typeof left === 'number' && typeof right === 'number')
    return ofNumbers(operator, left, right) ?? ofOrder(operator, left - right);
  if (typeof left === 'string' && typeof right === 'string') return ofOrder(operator, compared(left, right));
  return null;
}

function ofNumbers(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return undefined;
  }
}

function ofOrder(operator: string, order: number): Json {
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return null;
  }
}

/**
 * Returns a value that can be stored. An invalid number, such as the result of a division by zero, becomes
 * null.
 */
function settled(value: Json): Json {
  if (typeof value !== 'number') return value;
  return Number.isFinite(value) ? tidy(value) + 0 : null;
}

function isSame(left: Json, right: Json): boolean {
  if (typeof left === 'string' && typeof right === 'string') return compared(left, right) === 0;
  return typeof left === 'object' ? JSON.stringify(left) === JSON.stringify(right) : left === right;
}

/** Compares strings by bytes, ignoring ASCII case. */
function compared(left: string, right: string): number {
  return compareText(foldText(left), foldText(right));
}
