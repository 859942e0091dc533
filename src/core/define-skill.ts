import type { ZodType } from 'zod';
import { AgentError } from './error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Parts, Protection } from './policy.ts';
import type { Output } from './run.ts';
import type { Scope } from './scope.ts';
import type { Requirements } from './skill.ts';

/** A skill written in TypeScript: instructions for a model, or a function to run. */
export interface SkillSpec<Input = Json, Given = unknown, Value = unknown> {
  readonly name: string;
  readonly description: string;
  /** What a model is told; a skill has instructions or `run`. */
  readonly instructions?: string;
  run?(input: Input, scope: Scope): Promise<Output> | Output;
  readonly whenToUse?: string;
  /** A zod schema, or a function that makes it when it is first needed. */
  readonly input?: ZodType<Input, Given> | (() => ZodType<Input, Given>);
  readonly output?: ZodType<Value> | (() => ZodType<Value>);
  readonly argumentNames?: readonly string[];
  readonly argumentHint?: string;
  readonly allowedTools?: readonly string[];
  /** Skills that it may call; absent means every other one, empty means none, which makes its calls cheap. */
  readonly allowedSkills?: readonly string[];
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly license?: string;
  readonly compatibility?: string;
  readonly maxTicks?: number;
  readonly disableModelInvocation?: boolean;
  readonly userInvocable?: boolean;
  readonly requires?: Requirements;
  /** The word by which permission rules name it, such as `Read`. */
  readonly permission?: string;
  /** It changes nothing and sends nothing anywhere. */
  readonly readOnly?: boolean;
  /** What it does to the world, in a sentence for whoever is asked whether it may. */
  readonly effect?: string;
  /** It starts processes on this machine. */
  readonly runsProcesses?: boolean;
  /** The code of a skill runs in processes on this machine. */
  readonly runsOwnCode?: boolean;
  /** Whether an input is about nothing but the folder of the skill that calls. */
  isOwn?(input: Input, callerDir: string): boolean;
  /** Whether what stands between the brackets of a rule means this input. */
  matches?(spec: string, input: Input, workspace: string): boolean;
  /** Whether an input could reach something that the brackets of a rule mean; in place of `matches` for rules that forbid. */
  mayTouch?(spec: string, input: Input, workspace: string): boolean;
  /** The files that an input is about: skills for such files are offered from then on. */
  touches?(input: Input): readonly string[];
  /** What an input really does, in one or several parts, each of which rules are held against by itself. */
  parts?(input: Input, workspace: string): Parts;
  /** Why a person is asked about this input each time, whatever allows it; undefined where the policy alone decides. */
  alwaysAsks?(input: Input, workspace: string): string | undefined;
  /** The protected path that an input would change; only a rule that names it can allow it. */
  protects?(input: Input, workspace: string): Protection | undefined;
  /** A loop must not run its calls beside others of the same step. */
  readonly sequential?: boolean;
}

declare const types: unique symbol;

/** Remembers for the type checker what a skill is given and what it comes to; nothing of it is there at run time. */
export interface Typed<Given, Value = unknown> {
  readonly [types]?: { readonly given: Given; readonly value: Value };
}

/** A validated skill made in code, ready for `skills.register`; families adopt it. */
export interface DefinedSkill<Given = unknown, Value = unknown>
  extends SkillSpec<never>, Typed<Given, Value> {
  readonly kind: 'skill';
}

/** Makes a skill in code, under the same rules as a skill folder; throws `skill.invalid` naming the fault. */
export function defineSkill<Input = Json, Given = unknown, Value = string>(
  spec: SkillSpec<Input, Given, Value>,
): DefinedSkill<Given, Value> {
  const fault = faultOf(spec);
  if (fault !== undefined) {
    const name: unknown = (spec as SkillSpec | undefined)?.name;
    const label = typeof name === 'string' ? `Skill "${name}"` : 'The skill';
    throw new AgentError('skill.invalid', `${label}: ${fault.message}`, { hint: fault.hint });
  }
  return { ...(spec as unknown as SkillSpec<never>), kind: 'skill' };
}

/** The JSON Schema of a zod schema; zod is loaded by whoever made the schema, never here. */
export function schemaOf(
  schema: ZodType<never> | ZodType | (() => ZodType<never> | ZodType) | undefined,
): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const made = typeof schema === 'function' ? schema() : schema;
  return made.toJSONSchema({ unrepresentable: 'any', io: 'input' }) as unknown as JsonObject;
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

/** Callers without a type checker are checked too, so nothing is taken for granted here. */
function faultOf(spec: unknown): Fault | undefined {
  if (!isJsonObject(spec))
    return { message: 'it is not an object.', hint: 'Give at least a name and a description.' };
  const { name, description, instructions, run, compatibility, metadata, maxTicks } = spec as Readonly<
    Record<string, unknown>
  >;
  if (typeof name !== 'string' || !isSkillName(name)) {
    return {
      message: 'the name is not valid.',
      hint: 'Use 1 to 64 lower-case letters, digits and single hyphens inside.',
    };
  }
  if (!isText(description, 1024)) {
    return {
      message: 'the description must have 1 to 1024 characters.',
      hint: 'Say what the skill does and when to use it.',
    };
  }
  if (run !== undefined && typeof run !== 'function') {
    return { message: 'run is not a function.', hint: 'Give a function of the input.' };
  }
  if (run !== undefined && instructions !== undefined) {
    return { message: 'it has both instructions and a run function.', hint: 'Give one of them.' };
  }
  if (run === undefined && !isText(instructions, Number.POSITIVE_INFINITY)) {
    return { message: 'it has neither instructions nor a run function.', hint: 'Give one of them.' };
  }
  if (compatibility !== undefined && !isText(compatibility, 500)) {
    return { message: 'compatibility must have 1 to 500 characters.', hint: 'Shorten it, or leave it out.' };
  }
  if (maxTicks !== undefined && !(Number.isInteger(maxTicks) && Number(maxTicks) > 0)) {
    return {
      message: 'maxTicks is not a whole number above zero.',
      hint: 'Say how many model turns it may take.',
    };
  }
  if (metadata !== undefined && !isJsonObject(metadata)) {
    return { message: 'metadata is not a map.', hint: 'Give names and strings.' };
  }
  const odd = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== 'string');
  if (odd !== undefined)
    return { message: `metadata "${odd[0]}" is not a string.`, hint: 'Quote the value.' };
  return undefined;
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && Array.from(value).length <= most;
}

/** The name rule of the open standard: NFKC, lower case, letters and digits of any script, single inner hyphens. */
export function isSkillName(name: string): boolean {
  if (name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return true;
  const normal = name.normalize('NFKC');
  const length = Array.from(normal).length;
  if (length === 0 || length > 64 || normal !== normal.toLowerCase()) return false;
  return /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(normal);
}

/** The error for somebody who calls a skill that is not meant to be called by people; the hint says what to do instead. */
export function notForPeople(name: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `"${name}" says of itself that people do not call it.`, { hint });
}
