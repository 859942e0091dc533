import type { JsonObject } from '../../core/json.ts';
import { baseSystem } from '../../engines/loop/base-system.ts';
import type { OrchestratorDefinition } from './definition.ts';

/** What a planner is told of an orchestrator besides the language: also the shape of the answer, and how to extend a plan. */
export function planInstructions(
  { description, instructions }: OrchestratorDefinition,
  schema: JsonObject | undefined,
  isExtending: boolean,
): string {
  const shape = schema && `What final_answer is given must fit this JSON Schema: ${JSON.stringify(schema)}`;
  return joined([description, instructions, shape, isExtending ? aboutExtending : undefined]);
}

const aboutExtending = `The result of a line that you keep is as old as the request it was written for. What must be done or looked up again needs a line of its own: keep the old one and write it once more under another name.`;

/** The same for a model that works step by step. */
export function loopSystem({ description, instructions }: OrchestratorDefinition): string {
  return joined([baseSystem, description, instructions]);
}

/** What the model of a preparation is told; a planner is told the rest elsewhere. */
export function preparationInstructions({ description, preparation }: OrchestratorDefinition): string {
  return joined([aboutPreparing, `What the request is then given to: ${description}`, preparation]);
}

/** The same for a model that prepares step by step. */
export function preparationSystem(definition: OrchestratorDefinition): string {
  return joined([baseSystem, preparationInstructions(definition)]);
}

const aboutPreparing = `You only prepare: somebody else carries out the request when you are done.
Find out what is asked for below and answer with what you found, complete and short. Where there is nothing to find out, answer that.`;

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}
