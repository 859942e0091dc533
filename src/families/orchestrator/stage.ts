import type { JsonObject, Scope, Skill } from '../../core/index.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem } from '../../engines/loop/prompt.ts';
import type { ToolChoice } from '../../engines/loop/run-loop.ts';
import { skillTools } from '../../engines/loop/tools.ts';
import type { OrchestratorDefinition } from './parse.ts';

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

/** The tools of one stage: one for each skill of its list, or without a list what the catalog chooses for the request. */
export async function stageTools(
  list: readonly string[] | undefined,
  request: string,
  scope: Scope,
): Promise<ToolChoice> {
  const skills = skillsOf(list, scope);
  if (skills === undefined) return offerTools(scope, { request });
  return skillTools(skills, scope, { among: [...scope.skills.callable, ...skills] });
}

/** The skills that a list gives to one stage of an orchestrator; undefined without a list: all that may be called. */
export function skillsOf(list: readonly string[] | undefined, scope: Scope): readonly Skill[] | undefined {
  if (list === undefined) return undefined;
  const found = new Map(list.map((name) => [name, scope.skills.lookUp(name)]));
  const missing = list.filter((name) => found.get(name) === undefined);
  if (missing.length > 0)
    scope.note(`The list of "${scope.skill.name}" names no skill with ${missing.join(', ')}.`);
  const skills = new Set([...found.values()].filter((skill) => skill !== undefined));
  if (scope.skill.card.allowedSkills === undefined) return [...skills]; // the list is that of the preparation alone
  return scope.skills.callable.filter((skill) => skills.has(skill));
}
