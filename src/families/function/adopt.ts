import { badInput } from '../../core/bad-input.ts';
import type { DefinedSkill } from '../../core/define-skill.ts';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { FunctionDefinition } from './definition.ts';

/** Takes over skills made in code that have a function to run. */
export function adopt(made: DefinedSkill): FunctionDefinition | undefined {
  const run = made.run?.bind(made);
  if (run === undefined) return undefined;
  return {
    permission: { ...optional('label', made.permission), readOnly: made.readOnly === true },
    accept: (input) => accept(made, input),
    run: (input, scope) => run(input as never, scope),
  };
}

/** By its own schema, whose defaults and conversions count. */
function accept({ name, input: schema }: DefinedSkill, input: Json): unknown {
  if (schema === undefined) return input;
  const { success, data, error } = (typeof schema === 'function' ? schema() : schema).safeParse(input);
  if (success) return data;
  throw badInput(`the input of "${name}"`, error.issues);
}
