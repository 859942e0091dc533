import type { Json } from '../../core/json.ts';
import type { SopCommand } from './command.ts';
import type { PlanStep } from './plan.ts';

/** A reference whose variable is known. */
export interface Target {
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
  readonly list?: Target;
  readonly guard?: Target & { readonly isNegated: boolean };
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
