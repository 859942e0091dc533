import type { JsonObject, Scope, Skill } from '../../core/index.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem } from '../../engines/loop/prompt.ts';
import type { LoopTools } from '../../engines/loop/run-loop.ts';
import { skillTools } from '../../engines/loop/tools.ts';
import type { OrchestratorDefinition } from './parse.ts';

/**
 * Returns the instructions for an orchestrator's planner: its description and instructions, the answer's
 * schema and, if needed, how to extend a plan.
 */
export function planInstructions(
  { description, instructions }: OrchestratorDefinition,
  schema: JsonObject | undefined,
  isExtending: boolean,
): string {
  const shape =
    schema && `The value passed to final_answer must match this JSON Schema: ${JSON.stringify(schema)}`;
  return joined([description, instructions, shape, isExtending ? aboutExtending : undefined]);
}

const aboutExtending = `If you keep a line, its result dates from the request that the line was written for. To do or look up something again, keep the old line and add a copy of it under another name.`;

/** Returns the system prompt for the model that drives an orchestrator's loop. */
export function loopSystem({ description, instructions }: OrchestratorDefinition): string {
  return joined([baseSystem, description, instructions]);
}

/**
 * Returns the instructions for a preparation. They do not describe the plan language, which a planner is
 * taught separately.
 */
export function preparationInstructions({ description, preparation }: OrchestratorDefinition): string {
  return joined([aboutPreparing, `The request then goes to: ${description}`, preparation]);
}

/** Returns the system prompt for the model that drives a preparation's loop. */
export function preparationSystem(definition: OrchestratorDefinition): string {
  return joined([baseSystem, preparationInstructions(definition)]);
}

const aboutPreparing = `You only prepare the request: someone else carries it out when you are done.
Gather the information requested below, and answer completely but briefly with what you found. If there is nothing to find out, say so.`;

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}

/**
 * Returns the tools for a stage (the preparation or the request itself), one for each skill in the stage's
 * list. Without a list, selects skills from the catalog that fit the request.
 */
export async function stageTools(
  list: readonly string[] | undefined,
  request: string,
  scope: Scope,
): Promise<LoopTools> {
  const skills = skillsOf(list, scope);
  if (skills === undefined) return offerTools(scope, { request });
  return skillTools(skills, scope, { among: [...scope.skills.callable, ...skills] });
}

/**
 * Returns the skills in a stage's list, or undefined if there is no list, in which case every callable skill
 * is allowed.
 */
export function skillsOf(list: readonly string[] | undefined, scope: Scope): readonly Skill[] | undefined {
  const skills = list && new Set(listedSkills(list, scope));
  // If the skill does not list its allowed skills, the stage's own list applies unchanged.
  if (skills === undefined || scope.skill.card.allowedSkills === undefined) return skills && [...skills];
  return scope.skills.callable.filter((skill) => skills.has(skill));
}

/** Returns the skills in a list, including those that tool lists forbid. Calling a forbidden skill fails. */
export function listedSkills(list: readonly string[], scope: Scope): readonly Skill[] {
  const found = new Map(list.map((name) => [name, scope.skills.lookUp(name)]));
  const missing = list.filter((name) => found.get(name) === undefined);
  if (missing.length > 0)
    scope.note(`"${scope.skill.name}" lists skills that were not found: ${missing.join(', ')}.`);
  return [...new Set(found.values())].filter((skill) => skill !== undefined);
}
