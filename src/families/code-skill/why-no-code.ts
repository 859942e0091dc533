import { AgentError, fromErrorData, type ErrorData } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import type { Skill } from '../../core/skill.ts';
import { inspectGeneration } from '../../generation/inspect-generation.ts';
import type { PreparedCodeSkill } from './definition.ts';
import { noEntry } from './entry-fault.ts';
import { recipeFor } from './recipe.ts';

/** Why there is no code to run of a skill: it could not be made, or as a look at its folder tells. */
export function whyNoCode(prepared: PreparedCodeSkill, { name, dir }: Skill): AgentError {
  const { failure } = prepared;
  if (failure !== undefined) return isOfCode(failure) ? notMade(name, failure) : fromErrorData(failure);
  const made = dir === '' ? undefined : inspectGeneration(dir, recipeFor(prepared));
  const wrong = made?.issues.find(({ level }) => level === 'error');
  if (wrong === undefined) return noEntry(dir);
  const { message, hint } = wrong;
  return new AgentError('skill.invalid', `The code of "${name}" cannot be generated: ${message}`, {
    ...optional('hint', hint),
    details: { skill: name },
  });
}

/** Whether it is about what was written, and not about the model, the sandbox or leave to use them. */
function isOfCode({ code }: ErrorData): boolean {
  return code.startsWith('skill.') || code === 'model.bad-answer';
}

function notMade(name: string, { message, details }: ErrorData): AgentError {
  return new AgentError('skill.failed', `The code of "${name}" could not be generated: ${message}`, {
    hint: `Correct the specs, or try again with \`skilled build ${name}\`.`,
    details: { ...(isJsonObject(details) ? details : {}), skill: name },
  });
}
