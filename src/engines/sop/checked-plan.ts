import { AgentError, isJsonObject, type Json } from '../../core/index.ts';
import type { SopCommand } from './command.ts';
import type { PlanStep } from './plan.ts';

/** A reference whose variable is known. */
export interface ReferenceTarget {
  readonly variable: string;
  /** The way into the value. */
  readonly keys: readonly string[];
}

/** A step that may run. */
export interface CheckedStep extends PlanStep {
  /** Its place in the plan, counted from 0: what is ready starts in this order. */
  readonly order: number;
  readonly runs: SopCommand;
  /**
   * The variables that it waits for, each once: of its list, its arguments and its guard, in this order. A supplied
   * input is none of them, nor are `item` and `index` of an `each`.
   */
  readonly needs: readonly string[];
  readonly list?: ReferenceTarget;
  readonly guard?: ReferenceTarget & { readonly isNegated: boolean };
  /** The variables that its arguments alone need. */
  readonly values: readonly string[];
  /**
   * The input of its command, from the values of what it refers to; throws `usage.bad-input` for one that does not fit
   * and for a way that leads nowhere.
   */
  inputFrom(find: (variable: string) => Json, item?: Item): BoundInput;
}

/** One of a list. */
export interface Item {
  readonly value: Json;
  readonly index: number;
}

/** Arguments as a command takes them. */
export interface BoundInput {
  readonly input: Json;
  /** Those without a key, in their order. */
  readonly arguments: readonly Json[];
}

/** A plan without an error, which can run. */
export interface CheckedPlan {
  readonly script: string;
  readonly steps: readonly CheckedStep[];
  /** Set when the plan takes the supplied input, as `$input`. */
  readonly takesInput: boolean;
}

/** What a way into a value leads to; where it breaks, how many of its keys led somewhere and to what. */
type Reached =
  | { readonly found: true; readonly value: Json }
  | { readonly found: false; readonly depth: number; readonly last: Json };

/** Follows keys of objects and indices of lists, own members alone; text is never opened. Pure, never throws. */
export function lookInto(value: Json, keys: readonly string[]): Reached {
  let last = value;
  for (const [depth, key] of keys.entries()) {
    const next = memberOf(last, key);
    if (next === undefined) return { found: false, depth, last };
    last = next;
  }
  return { found: true, value: last };
}

/** The same for a way that must lead somewhere; throws `usage.bad-input` that names the reference and where it breaks. */
export function reachInto(variable: string, value: Json, keys: readonly string[]): Json {
  const reached = lookInto(value, keys);
  if (reached.found) return reached.value;
  const whole = ['$' + variable, ...keys].join('.');
  const good = ['$' + variable, ...keys.slice(0, reached.depth)].join('.');
  const missing = `"${keys[reached.depth] ?? ''}"`;
  throw new AgentError(
    'usage.bad-input',
    `${whole} leads nowhere: ${good} is ${kindOf(reached.last)} without ${missing}.`,
    { hint: `Refer to ${good}, or to something that is in it.` },
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
