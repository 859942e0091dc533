import type { ZodSafeParseResult, ZodType } from 'zod';
import {
  AgentError,
  badInput,
  fitSchema,
  optional,
  outputFrom,
  reasonOf,
  renamedInput,
  type DefinedSkill,
  type Json,
  type Output,
  type Permission,
  type ProvidedSkill,
  type Scope,
  type ServerToolSkill,
} from '../../core/index.ts';

/**
 * Returns the definition of a skill that is a function or a server's tool, or undefined for any other skill.
 */
export function adopt(skill: DefinedSkill): FunctionDefinition | undefined {
  const { tool } = skill as Partial<ServerToolSkill>;
  if (tool !== undefined) return adoptTool(tool);
  const run = skill.run?.bind(skill);
  if (run === undefined) return undefined;
  const parse = parserOf(skill);
  return {
    permission: {
      ...optional('label', skill.permission),
      ...optional('effect', skill.effect),
      readOnly: skill.readOnly === true,
      ...(skill.runsProcesses === true ? { runsProcesses: true } : {}),
      ...(skill.runsOwnCode === true ? { runsOwnCode: true } : {}),
      ...optional('isOwn', isOwnOf(skill.isOwn?.bind(skill), parse)),
      ...optional('matches', questionOf(skill.matches?.bind(skill), parse)),
      ...optional('mayTouch', questionOf(skill.mayTouch?.bind(skill), parse)),
      ...optional('touches', touchesOf(skill.touches?.bind(skill), parse)),
      ...optional('alwaysAsks', foundBy(askingOf(skill), parse)),
      ...optional('protects', foundBy(skill.protects?.bind(skill), parse)),
      ...optional('parts', partsOf(skill.parts?.bind(skill), parse)),
    },
    accept: (input) => {
      const { success, data, error } = parse(input);
      if (success) return data;
      throw badInput({ skill: skill.name }, error.issues, input);
    },
    run: async (input, scope) => outputFrom(await run(input as never, scope)),
  };
}

/** Returns the function that finds the reason why a call needs approval, if there is one. */
function askingOf(
  skill: DefinedSkill,
): ((input: never, workspace: string) => string | undefined | Promise<string | undefined>) | undefined {
  const { needsApproval = false } = skill;
  if (needsApproval === false) return skill.alwaysAsks?.bind(skill);
  const { effect = 'The program requires approval for this call.' } = skill;
  return async (input, workspace) => {
    const other = skill.alwaysAsks?.(input, workspace);
    if (other !== undefined || needsApproval === true) return other ?? effect;
    try {
      return (await needsApproval(input)) ? effect : undefined;
    } catch (thrown) {
      return `The check for approval failed: ${reasonOf(thrown)}`;
    }
  };
}

/** Returns the definition of a server's tool, whose input is described by a JSON Schema. */
function adoptTool({ name, card, permission, run }: ProvidedSkill): FunctionDefinition {
  const { input: schema } = card;
  return {
    permission,
    accept: (input) => (schema === undefined ? input : fitSchema({ skill: name }, schema, input)),
    run,
  };
}

type Parse = (input: Json) => ZodSafeParseResult<unknown>;

/**
 * Returns a function that parses input with the skill's own schema, applying defaults and conversions. The
 * schema is created once, on first use.
 */
function parserOf(skill: DefinedSkill): Parse {
  const { input: schema } = skill;
  const rename = (input: Json): Json => renamedInput({ codeDefinition: skill }, input);
  if (schema === undefined) return (input) => ({ success: true, data: rename(input) });
  let known: ZodType | undefined;
  return (input) => {
    known ??= typeof schema === 'function' ? schema() : schema;
    try {
      return known.safeParse(rename(input));
    } catch (thrown) {
      throw new AgentError(
        'skill.invalid',
        `The input schema of "${skill.name}" failed: ${reasonOf(thrown)}`,
        {
          hint: 'Its checks and conversions must be synchronous and must not throw.',
        },
      );
    }
  };
}

/**
 * Wraps a skill's permission check so that it receives the parsed input. No rule matches an input that cannot
 * be parsed.
 */
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

/**
 * Wraps `find` so that it receives the parsed input. If the input cannot be parsed, the result is undefined.
 */
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

/**
 * Wraps `parts` so that it receives the parsed input. If the input cannot be parsed, the result is an empty
 * list that is marked as incomplete.
 */
function partsOf(parts: DefinedSkill['parts'], parse: Parse): Permission['parts'] {
  if (parts === undefined) return undefined;
  return (input, workspace) => {
    const taken = parse(input);
    return taken.success ? parts(taken.data as never, workspace) : { parts: [], areAll: false };
  };
}

/** The definition of a skill that is a TypeScript function. */
export interface FunctionDefinition {
  readonly permission: Permission;
  /** Parses and validates the function's input. Throws `usage.bad-input`. */
  accept(input: Json): unknown;
  run(input: Json, scope: Scope): Promise<Output>;
}
