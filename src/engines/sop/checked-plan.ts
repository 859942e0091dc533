import { AgentError, isJsonObject, type Json } from '../../core/index.ts';
import type { SopCommand } from './command.ts';
import type { PlanStep } from './plan.ts';

/** A reference that has been resolved to a variable. */
export interface ReferenceTarget {
  readonly variable: string;
  /** The path within the variable's value. */
  readonly keys: readonly string[];
}

/** A checked step that is ready to be executed. */
export interface CheckedStep extends PlanStep {
  /** The zero-based position of the step in the plan. Steps that are ready start in this order. */
  readonly order: number;
  readonly runs: SopCommand;
  /**
   * The variables that the step waits for, without duplicates: those of its list, its arguments and its
   * guard, in this order. Omits a supplied input, and the `item` and `index` of an `each` step.
   */
  readonly needs: readonly string[];
  readonly list?: ReferenceTarget;
  readonly guard?: ReferenceTarget & { readonly isNegated: boolean };
  /** The variables in the step's arguments. Omits variables that occur only in its list or guard. */
  readonly values: readonly string[];
  /**
   * Builds the command's input from the referenced values. Throws `usage.bad-input` if the input is invalid
   * or a path does not exist.
   */
  inputFrom(find: (variable: string) => Json, item?: Item): BoundInput;
}

/** One item of the list that an `each` step processes. */
export interface Item {
  readonly value: Json;
  readonly index: number;
}

/** A step's arguments, and the input that they were converted to. */
export interface BoundInput {
  readonly input: Json;
  /** The positional arguments, in order. */
  readonly arguments: readonly Json[];
}

/** A plan that passed all checks and can run. */
export interface CheckedPlan {
  readonly script: string;
  readonly steps: readonly CheckedStep[];
  /** Whether the plan uses the run's input, `$input`. */
  readonly takesInput: boolean;
}

/**
 * The value at a path. If the path does not exist, the last value on it and the number of keys that lead to
 * that value.
 */
type Reached =
  | { readonly found: true; readonly value: Json }
  | { readonly found: false; readonly depth: number; readonly last: Json };

/**
 * Follows object keys and list indexes into a value. Follows only own properties, and never parses text as
 * JSON. Pure, never throws.
 */
export function lookInto(value: Json, keys: readonly string[]): Reached {
  let last = value;
  for (const [depth, key] of keys.entries()) {
    const next = memberOf(last, key);
    if (next === undefined) return { found: false, depth, last };
    last = next;
  }
  return { found: true, value: last };
}

/**
 * Returns the value at a path. If the path does not exist, throws `usage.bad-input` with the reference and
 * the key that is missing.
 */
export function reachInto(variable: string, value: Json, keys: readonly string[]): Json {
  const reached = lookInto(value, keys);
  if (reached.found) return reached.value;
  const whole = ['$' + variable, ...keys].join('.');
  const good = ['$' + variable, ...keys.slice(0, reached.depth)].join('.');
  const missing = `"${keys[reached.depth] ?? ''}"`;
  throw new AgentError(
    'usage.bad-input',
    `${whole} does not exist: ${good} is ${kindOf(reached.last)} without ${missing}.`,
    { hint: `Refer to ${good}, or to one of its members.` },
  );
}

function memberOf(value: Json, key: string): Json | undefined {
  if (isList(value)) return index.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const index = /^(?:0|[1-9]\d{0,9})$/;

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'a number' : String(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
