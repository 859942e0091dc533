import { fromErrorData, type Json, type Scope, type Snippet } from '../../core/index.ts';

/** What a snippet may ask of the host: to call the skills that its file names, and nothing where it names none. */
export function hostFunctions(scope: Scope): NonNullable<Snippet['functions']> {
  const { allowedSkills = [] } = scope.skill.card;
  return allowedSkills.length === 0 ? {} : { call: (name, input) => callSkill(scope, name, input) };
}

/** The value of a call, or its text; a call that failed throws its message, which the snippet may catch. */
async function callSkill(scope: Scope, name: Json | undefined, input: Json = null): Promise<Json> {
  if (typeof name !== 'string') throw new Error('call takes the name of a skill, as a text, and its input.');
  const output = await scope.call(name, input);
  if (output.status === 'failed') throw fromErrorData(output.error);
  return output.value ?? output.text;
}

/** The skills that may be called, in words for a model; kept, so that a replay asks the same. */
export async function describeFunctions(scope: Scope): Promise<string> {
  const { allowedSkills = [] } = scope.skill.card;
  if (allowedSkills.length === 0) return '';
  return scope.step('skills', () => {
    const skills = scope.skills.callable.map(({ name, card }) => {
      const input = card.input === undefined ? 'any JSON' : JSON.stringify(card.input);
      return `- ${JSON.stringify(name)}: ${card.description.replace(/\s+/g, ' ')} Input: ${input}`;
    });
    return [aboutCall, ...(skills.length === 0 ? ['- none is there at the moment'] : skills)].join('\n');
  });
}

const aboutCall = `The code may use other skills with \`await call(name, input)\`, which gives what the skill came to as JSON and throws when it failed. Waiting for it takes no time of the code. These can be called, and no others:`;
