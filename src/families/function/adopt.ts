import type { ZodSafeParseResult } from 'zod';
import { badInput } from '../../core/bad-input.ts';
import type { DefinedSkill } from '../../core/define-skill.ts';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { Permission } from '../../core/policy.ts';
import type { FunctionDefinition } from './definition.ts';

/** Takes over skills made in code that have a function to run. */
export function adopt(made: DefinedSkill): FunctionDefinition | undefined {
  const run = made.run?.bind(made);
  if (run === undefined) return undefined;
  return {
    permission: {
      ...optional('label', made.permission),
      ...optional('effect', made.effect),
      readOnly: made.readOnly === true,
      ...(made.runsProcesses === true ? { runsProcesses: true } : {}),
      ...optional('matches', matchesOf(made)),
      ...optional('parts', partsOf(made)),
    },
    accept: (input) => accept(made, input),
    run: (input, scope) => run(input as never, scope),
  };
}

/** What a rule means is asked of an input as the function takes it; one that it does not take is meant by none. */
function matchesOf(made: DefinedSkill): Permission['matches'] {
  const matches = made.matches?.bind(made);
  if (matches === undefined) return undefined;
  return (spec, input, workspace) => {
    const taken = parse(made, input);
    return taken.success && matches(spec, taken.data as never, workspace);
  };
}

/** An input that the function does not take has no parts, and they are not all that it might do. */
function partsOf(made: DefinedSkill): Permission['parts'] {
  const parts = made.parts?.bind(made);
  if (parts === undefined) return undefined;
  return (input) => {
    const taken = parse(made, input);
    return taken.success ? parts(taken.data as never) : { parts: [], areAll: false };
  };
}

/** By its own schema, whose defaults and conversions count. */
function accept(made: DefinedSkill, input: Json): unknown {
  const { success, data, error } = parse(made, input);
  if (success) return data;
  throw badInput(`the input of "${made.name}"`, error.issues);
}

function parse({ input: schema }: DefinedSkill, input: Json): ZodSafeParseResult<unknown> {
  if (schema === undefined) return { success: true, data: input };
  return (typeof schema === 'function' ? schema() : schema).safeParse(input);
}
