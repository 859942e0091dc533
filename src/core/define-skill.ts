import type { ZodType } from 'zod';
import { AgentError } from './error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { InputParts, Protection } from './policy.ts';
import type { ProvidedSkill, Scope } from './scope.ts';
import type { Requirements } from './skill.ts';

/**
 * A skill written in TypeScript: instructions for a model, or a function to run. `Given` is the input's type
 * before the schema parses it; `Input` is its type afterwards.
 */
export interface SkillSpec<Input = Json, Given = unknown, Value = unknown, Returned = unknown> {
  readonly name: string;
  readonly description: string;
  /** Instructions for the model. A skill has either instructions or `run`. */
  readonly instructions?: string;
  /** Runs the skill. Returns its value, an `Output` with a separate text, or a promise of either. */
  run?(input: Input, scope: Scope): Returned;
  readonly whenToUse?: string;
  /** A zod schema, or a function that creates it on first use. */
  readonly input?: ZodType<Input, Given> | (() => ZodType<Input, Given>);
  readonly output?: ZodType<Value> | (() => ZodType<Value>);
  /**
   * Renames an input's properties to the names in the schema, so that a skill can accept names that its
   * schema does not list. The schema, permission rules, hooks, approvals and the log see only the renamed
   * input. Pure; never throws.
   */
  renameInput?(input: JsonObject): JsonObject;
  readonly argumentNames?: readonly string[];
  readonly argumentHint?: string;
  readonly allowedTools?: readonly string[];
  /**
   * The skills that this skill is allowed to call: all others if absent, none if empty. Calls to a skill with
   * an empty list count towards `limits.leafCalls` instead of `limits.frames`.
   */
  readonly allowedSkills?: readonly string[];
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly license?: string;
  readonly compatibility?: string;
  /** The maximum number of model steps of a call, instead of `limits.steps`. */
  readonly maxTicks?: number;
  readonly disableModelInvocation?: boolean;
  readonly userInvocable?: boolean;
  readonly requires?: Requirements;
  /** The skill's name in permission rules, such as `Read`. */
  readonly permission?: string;
  /** Whether the skill only reads: it changes nothing and sends nothing anywhere. */
  readonly readOnly?: boolean;
  /** A sentence for the user who must approve a call. It describes what the skill changes or sends. */
  readonly effect?: string;
  /**
   * Whether a user must approve each call, even if a rule allows it: always, or if the function returns true
   * for the input. Only for skills with `run`.
   */
  readonly needsApproval?: boolean | NeedsApproval<Input>;
  /** Whether the skill starts processes on this machine. */
  readonly runsProcesses?: boolean;
  /** Whether the skill's own code runs in processes on this machine. */
  readonly runsOwnCode?: boolean;
  /** Whether a call with this input affects only the calling skill's folder. */
  isOwn?(input: Input, callerDir: string): boolean;
  /** Whether a rule's pattern matches this input. */
  matches?(spec: string, input: Input, workspace: string): boolean;
  /**
   * Whether a call with this input could affect anything that a rule's pattern matches. Deny rules use this
   * method instead of `matches`.
   */
  mayTouch?(spec: string, input: Input, workspace: string): boolean;
  /**
   * Returns the files that a call with this input uses. Skills for these files are then offered to models.
   */
  touches?(input: Input): readonly string[];
  /**
   * Splits an input into the actions that it would perform, such as the simple commands in a command line.
   * Rules are checked against each action.
   */
  parts?(input: Input, workspace: string): InputParts;
  /**
   * Returns the reason why this input always needs approval, even if a rule allows it, or undefined if the
   * policy alone decides.
   */
  alwaysAsks?(input: Input, workspace: string): string | undefined;
  /**
   * Returns the protected path that a call with this input would change. Only a rule that names the path can
   * allow the change.
   */
  protects?(input: Input, workspace: string): Protection | undefined;
  /** Whether the text of a result contains everything in its value. Models then receive only the text. */
  readonly textIsComplete?: boolean;
  /** Whether calls to this skill must not run in parallel with other calls from the same model step. */
  readonly sequential?: boolean;
}

/** Decides from its input whether a call needs approval. Pure. */
export type NeedsApproval<Input> = { decide(input: Input): boolean | Promise<boolean> }['decide'];

/**
 * The type of a call's value: the declared output, or else the type that `run` returns. Text if `run` returns
 * an `Output`, or if the skill has no `run`.
 */
export type ReturnedValue<Value, Returned> = unknown extends Value
  ? unknown extends Returned
    ? string
    : Awaited<Returned> extends infer One
      ? One extends { readonly status: 'done' | 'failed'; readonly text: string }
        ? string
        : Promise<One> extends Promise<void>
          ? string
          : Plain<One>
      : never
  : Value;

/** A value as it is stored: as JSON, with dates and big integers as text. */
export type Plain<Value> = Value extends Json
  ? Value
  : Value extends bigint
    ? string
    : Value extends { toJSON(): infer Stored }
      ? Stored
      : Value extends object
        ? { [Key in keyof Value]: Plain<Value[Key]> }
        : Value;

declare const types: unique symbol;

/**
 * The types of a skill's input and result, for the type checker only. The property does not exist at run
 * time.
 */
export interface Typed<Given, Value = unknown> {
  readonly [types]?: { readonly given: Given; readonly value: Value };
}

/** A validated skill defined in code, ready for `skills.register` and for adoption by a family. */
export interface DefinedSkill<Given = unknown, Value = unknown>
  extends SkillSpec<never>, Typed<Given, Value> {
  readonly kind: 'skill';
}

/** A skill of this package, defined in code. */
export interface BuiltinSkill extends DefinedSkill {
  /**
   * The condition under which models are offered the skill even if the host does not expose the package's own
   * skills. With `search`, they are offered the skill only if a catalog omits skills that it can find.
   */
  readonly staysOffered?: 'always' | 'search';
}

/**
 * Renames an input's properties to the names in the skill's schema. Returns the input unchanged if the skill
 * accepts no other names. Pure.
 */
export function renamedInput(
  { codeDefinition }: { readonly codeDefinition?: object | undefined },
  input: Json,
): Json {
  const rename = (codeDefinition as Partial<DefinedSkill> | undefined)?.renameInput;
  return rename !== undefined && isJsonObject(input) ? rename(input) : input;
}

/** A tool of a configured server, registered as a skill. */
export interface ServerToolSkill extends DefinedSkill {
  readonly tool: ProvidedSkill;
}

/**
 * Defines a skill in code. The spec must follow the same rules as a skill folder. Throws `skill.invalid` if
 * it does not.
 */
export function defineSkill<Input = Json, Given = unknown, Value = unknown, Returned = unknown>(
  spec: SkillSpec<Input, Given, Value, Returned>,
): DefinedSkill<Given, ReturnedValue<Value, Returned>> {
  const fault = faultOf(spec);
  if (fault !== undefined) {
    const name: unknown = (spec as SkillSpec | undefined)?.name;
    const label = typeof name === 'string' ? `Skill "${name}"` : 'The skill';
    throw new AgentError('skill.invalid', `${label}: ${fault.message}`, { hint: fault.hint });
  }
  return { ...(spec as unknown as SkillSpec<never>), kind: 'skill' };
}

/**
 * Returns the JSON Schema of a zod schema. Loads no package, because zod was already loaded to create the
 * schema.
 */
export function schemaOf(
  schema: ZodType<never> | ZodType | (() => ZodType<never> | ZodType) | undefined,
): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const resolved = typeof schema === 'function' ? schema() : schema;
  return resolved.toJSONSchema({ unrepresentable: 'any', io: 'input' }) as unknown as JsonObject;
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

/**
 * Returns the first problem in a skill spec. The spec can be any value, because not all callers use a type
 * checker.
 */
function faultOf(spec: unknown): Fault | undefined {
  if (!isJsonObject(spec))
    return { message: 'it is not an object.', hint: 'Pass at least a name and a description.' };
  const given = spec as Readonly<Record<string, unknown>>;
  const { name, description, instructions, run, needsApproval, compatibility, metadata, maxTicks } = given;
  if (typeof name !== 'string' || !isSkillName(name)) {
    return {
      message: 'the name is not valid.',
      hint: 'Use 1 to 64 lower-case letters and digits, with single hyphens between them.',
    };
  }
  if (!isText(description, 1024)) {
    return {
      message: 'the description must have 1 to 1024 characters.',
      hint: 'Say what the skill does and when to use it.',
    };
  }
  if (run !== undefined && typeof run !== 'function') {
    return { message: 'run is not a function.', hint: 'Pass a function that takes the input.' };
  }
  if (run !== undefined && instructions !== undefined) {
    return {
      message: 'it has both instructions and a run function.',
      hint: 'Remove either the instructions or the run function.',
    };
  }
  if (run === undefined && !isText(instructions, Number.POSITIVE_INFINITY)) {
    return {
      message: 'it has neither instructions nor a run function.',
      hint: 'Add instructions or a run function.',
    };
  }
  const unread = ['input', 'output'].find((key) => !isSchema(given[key]));
  if (unread !== undefined) return { message: `${unread} cannot be read.`, hint: 'Use a zod 4 schema.' };
  if (needsApproval !== undefined && run === undefined) {
    return {
      message: 'needsApproval applies only to a skill with a run function.',
      hint: 'Remove it. The tools that the instructions use are approved separately.',
    };
  }
  if (compatibility !== undefined && !isText(compatibility, 500)) {
    return {
      message: 'compatibility must have 1 to 500 characters.',
      hint: 'Shorten "compatibility", or omit it.',
    };
  }
  if (maxTicks !== undefined && !(Number.isInteger(maxTicks) && Number(maxTicks) > 0)) {
    return {
      message: 'maxTicks must be a positive whole number.',
      hint: 'Set maxTicks to the maximum number of model steps.',
    };
  }
  if (metadata !== undefined && !isJsonObject(metadata)) {
    return { message: 'metadata must be an object.', hint: 'Use an object whose values are all strings.' };
  }
  const odd = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== 'string');
  if (odd !== undefined)
    return { message: `metadata "${odd[0]}" must be a string.`, hint: 'Quote the value.' };
  return undefined;
}

/** Whether a value is absent, a schema of zod 4, or a function that creates one. */
function isSchema(value: unknown): boolean {
  if (value === undefined || typeof value === 'function') return true;
  return isJsonObject(value) && typeof (value as Partial<ZodType>).toJSONSchema === 'function';
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && Array.from(value).length <= most;
}

/**
 * Whether a name follows the open standard: NFKC, lower case, and letters and digits of any script with
 * single hyphens between them.
 */
export function isSkillName(name: string): boolean {
  if (name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return true;
  const normal = name.normalize('NFKC');
  const length = Array.from(normal).length;
  if (length === 0 || length > 64 || normal !== normal.toLowerCase()) return false;
  return /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(normal);
}

/**
 * Creates the error for a user's call to a skill that is not user-invocable. The hint gives the next step.
 */
export function notForPeople(name: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `"${name}" is not user-invocable.`, { hint });
}
