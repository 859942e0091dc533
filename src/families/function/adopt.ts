import type { ZodSafeParseResult, ZodType } from 'zod';
import {
  badInput,
  optional,
  type DefinedSkill,
  type Json,
  type Output,
  type Permission,
  type Scope,
} from '../../core/index.ts';

/** Takes over skills made in code that have a function to run. */
export function adopt(made: DefinedSkill): FunctionDefinition | undefined {
  const run = made.run?.bind(made);
  if (run === undefined) return undefined;
  const parse = parserOf(made);
  return {
    permission: {
      ...optional('label', made.permission),
      ...optional('effect', made.effect),
      readOnly: made.readOnly === true,
      ...(made.runsProcesses === true ? { runsProcesses: true } : {}),
      ...(made.runsOwnCode === true ? { runsOwnCode: true } : {}),
      ...optional('isOwn', isOwnOf(made.isOwn?.bind(made), parse)),
      ...optional('matches', questionOf(made.matches?.bind(made), parse)),
      ...optional('mayTouch', questionOf(made.mayTouch?.bind(made), parse)),
      ...optional('touches', touchesOf(made.touches?.bind(made), parse)),
      ...optional('alwaysAsks', foundBy(made.alwaysAsks?.bind(made), parse)),
      ...optional('protects', foundBy(made.protects?.bind(made), parse)),
      ...optional('parts', partsOf(made.parts?.bind(made), parse)),
    },
    accept: (input) => {
      const { success, data, error } = parse(input);
      if (success) return data;
      throw badInput({ skill: made.name }, error.issues);
    },
    run: (input, scope) => run(input as never, scope),
  };
}

type Parse = (input: Json) => ZodSafeParseResult<unknown>;

/** By its own schema, whose defaults and conversions count; it is made once, when it is first needed. */
function parserOf({ input: schema }: DefinedSkill): Parse {
  if (schema === undefined) return (data) => ({ success: true, data });
  let known: ZodType | undefined;
  return (input) => (known ??= typeof schema === 'function' ? schema() : schema).safeParse(input);
}

/** What a rule means is asked of an input as the function takes it; one that it does not take is meant by none. */
function questionOf(ask: DefinedSkill['matches'], parse: Parse): Permission['matches'] {
  if (ask === undefined) return undefined;
  return (spec, input, workspace) => {
    const taken = parse(input);
    return taken.success && ask(spec, taken.data as never, workspace);
  };
}

function isOwnOf(isOwn: DefinedSkill['isOwn'], parse: Parse): Permission['isOwn'] {
  if (isOwn === undefined) return undefined;
  return (input, dir) => {
    const taken = parse(input);
    return taken.success && isOwn(taken.data as never, dir);
  };
}

function touchesOf(touches: DefinedSkill['touches'], parse: Parse): Permission['touches'] {
  if (touches === undefined) return undefined;
  return (input) => {
    const taken = parse(input);
    return taken.success ? touches(taken.data as never) : [];
  };
}

/** What a function finds in an input that it takes. */
function foundBy<Found>(
  find: ((input: never, workspace: string) => Found | undefined) | undefined,
  parse: Parse,
): ((input: Json, workspace: string) => Found | undefined) | undefined {
  if (find === undefined) return undefined;
  return (input, workspace) => {
    const taken = parse(input);
    return taken.success ? find(taken.data as never, workspace) : undefined;
  };
}

/** An input that the function does not take has no parts, and they are not all that it might do. */
function partsOf(parts: DefinedSkill['parts'], parse: Parse): Permission['parts'] {
  if (parts === undefined) return undefined;
  return (input, workspace) => {
    const taken = parse(input);
    return taken.success ? parts(taken.data as never, workspace) : { parts: [], areAll: false };
  };
}

/** The function of a skill that was written in TypeScript. */
export interface FunctionDefinition {
  readonly permission: Permission;
  /** The input as the function takes it; throws `usage.bad-input`. */
  accept(input: Json): unknown;
  run(input: Json, scope: Scope): Promise<Output> | Output;
}
