import { fromErrorData, type Json, type Scope, type Snippet } from '../../core/index.ts';

/**
 * Returns a snippet's host functions: `call` if the skill's file allows calls to any skills, otherwise none.
 */
export function hostFunctions(scope: Scope): NonNullable<Snippet['functions']> {
  const { allowedSkills = [] } = scope.skill.card;
  return allowedSkills.length === 0 ? {} : { call: (name, input) => callSkill(scope, name, input) };
}

/**
 * Calls a skill and returns its value, or its text if it has no value. If the call fails, throws an error
 * that the snippet can catch.
 */
async function callSkill(scope: Scope, name: Json | undefined, input: Json = null): Promise<Json> {
  if (typeof name !== 'string') throw new Error('call(name, input) needs the name of a skill (string).');
  const output = await scope.call(name, input);
  if (output.status === 'failed') throw fromErrorData(output.error);
  return output.value ?? output.text;
}

/** Describes the callable skills for a model. The result is recorded, so a replay sends the same prompt. */
export async function describeFunctions(scope: Scope): Promise<string> {
  const { allowedSkills = [] } = scope.skill.card;
  if (allowedSkills.length === 0) return '';
  return scope.step('skills', () => {
    const skills = scope.skills.callable.map(({ name, card }) => {
      const input = card.input === undefined ? 'any JSON' : JSON.stringify(card.input);
      return `- ${JSON.stringify(name)}: ${card.description.replace(/\s+/g, ' ')} Input: ${input}`;
    });
    return [aboutCall, ...(skills.length === 0 ? ['- none at the moment'] : skills)].join('\n');
  });
}

const aboutCall = `The code may call other skills with \`await call(name, input)\`, which returns the skill's result as JSON and throws if the skill failed. Waiting for it does not count as time of the code. Only these can be called:`;
