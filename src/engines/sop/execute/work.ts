import { hashOf } from '../../../core/json/normalize.ts';
import type { Json } from '../../../core/json.ts';
import { optional } from '../../../core/collections.ts';
import type { BoundInput, CheckedStep, Item } from '../checked-plan.ts';
import type { Execution } from './records.ts';

/** What gets a value: a step, or one item of it. */
export interface Slot {
  readonly step: CheckedStep;
  /** Of the item, where the step runs for each of a list. */
  readonly index?: number;
}

/** One execution that is to happen, with its input. */
export interface Work extends Slot {
  readonly bound: BoundInput;
  readonly execution: Execution;
}

/** The work of a step whose needs have values; throws what binding its arguments throws. */
export function bindWork(step: CheckedStep, find: (variable: string) => Json, item?: Item): Work {
  const bound = step.inputFrom(find, item);
  const index = optional('index', item?.index);
  const execution = {
    variable: step.name,
    ...index,
    command: step.runs.name,
    input: hashOfInput(bound.input),
  };
  return { step, ...index, bound, execution };
}

const hashes = new WeakMap<object, string>();

/** The hash of an input, once for a value that is passed on whole: nobody can change that, and it may be large. */
function hashOfInput(input: Json): string {
  if (typeof input !== 'object' || input === null || !Object.isFrozen(input)) return hashOf(input);
  const known = hashes.get(input) ?? hashOf(input);
  hashes.set(input, known);
  return known;
}

/** The name by which its question is answered. */
export function answerName({ step, index }: Slot): string {
  return index === undefined ? step.name : `${step.name}.${index}`;
}
