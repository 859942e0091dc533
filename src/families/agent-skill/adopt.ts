import { badInput } from '../../core/json/validate.ts';
import { optional } from '../../core/collections.ts';
import { schemaOf, type DefinedSkill } from '../../core/define-skill.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { AgentSkillDefinition } from './definition.ts';

/** Takes over skills made in code that consist of instructions for a model. */
export function adopt(made: DefinedSkill): AgentSkillDefinition | undefined {
  const { instructions, name } = made;
  if (instructions === undefined) return undefined;
  return {
    name,
    body: () => instructions,
    bodyLine: 1,
    hasFolder: false,
    ...optional('argumentNames', made.argumentNames),
    ...inputOf(made),
    ...optional('maxTicks', made.maxTicks),
  };
}

/** Its own schema counts, with its defaults and conversions; it is made once, when it is first needed. */
function inputOf({ name, input: given }: DefinedSkill): Pick<AgentSkillDefinition, 'input' | 'fit'> {
  if (given === undefined) return {};
  let schema: JsonObject | undefined;
  return {
    input: () => (schema ??= schemaOf(given)),
    fit: (input: Json) => {
      const { success, data, error } = (typeof given === 'function' ? given() : given).safeParse(input);
      if (success) return data;
      throw badInput({ skill: name }, error.issues);
    },
  };
}
