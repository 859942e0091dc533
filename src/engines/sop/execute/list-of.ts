import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { CheckedStep } from '../checked-plan.ts';
import { reachInto } from '../reach-into.ts';

/** The list of an `each`; throws `usage.bad-input` when it leads nowhere or to something else. */
export function listOf({ name, list, each }: CheckedStep, find: (variable: string) => Json): readonly Json[] {
  if (list === undefined) return [];
  const value = reachInto(list.variable, find(list.variable), list.keys);
  if (Array.isArray(value)) return value as readonly Json[];
  const path = each?.path ?? list.variable;
  throw new AgentError('usage.bad-input', `@${name} runs for each of $${path}, which is no list.`, {
    hint: `Give "each" a list, or run the command on $${path} as a whole.`,
  });
}
