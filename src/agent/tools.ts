import type { ZodType, output } from 'zod';
import {
  AgentError,
  defineSkill,
  isJsonObject,
  reasonOf,
  schemaFor,
  textOfValue,
  toPlain,
  type DefinedSkill,
  type JsonObject,
  type Output,
  type Scope,
  type SkillSpec,
} from '../core/index.ts';
import type { LoadedSkill } from '../skills/load-skill.ts';

/** A function that models can call, with a zod schema for its input. */
export interface FunctionTool<Schema extends ZodType = ZodType> extends Omit<
  SkillSpec<output<Schema>>,
  'name' | 'instructions' | 'input' | 'run'
> {
  readonly input: Schema;
  /** Returns the tool's value, or a promise of it. */
  run(input: output<Schema>, scope: Scope): unknown;
}

/** A tool of the AI SDK with an `execute` function, as its function `tool` returns it. */
export interface AiSdkTool {
  readonly description?: unknown;
  /** A zod schema, the result of `jsonSchema`, or another standard schema that has a JSON Schema. */
  readonly inputSchema: unknown;
  execute?(input: never, options: never): unknown;
  /** Whether calls need approval: always, or if the function returns true or a promise of it. */
  readonly needsApproval?: unknown;
  toModelOutput?(options: never): unknown;
}

/** A tool of a program, which becomes a skill. */
export type AgentTool<Schema extends ZodType = ZodType> = FunctionTool<Schema> | AiSdkTool;

/** Returns the skills that a program passes to its agent. Throws `skill.invalid` for a tool that cannot be used. */
export function ownSkills({ skills = [], tools = {} }: OwnSkills): readonly (DefinedSkill | LoadedSkill)[] {
  return [...skills, ...skillsOfTools(tools)];
}

interface OwnSkills {
  readonly skills?: readonly (DefinedSkill | LoadedSkill)[];
  readonly tools?: Readonly<Record<string, AgentTool>>;
}

/**
 * Converts a program's tools to skills. A name such as `getWeather` becomes `get-weather`. Throws
 * `skill.invalid` for a tool that cannot be used.
 */
function skillsOfTools(tools: Readonly<Record<string, AgentTool>>): readonly DefinedSkill[] {
  return Object.entries(tools as Readonly<Record<string, unknown>>).map(([key, tool]) => {
    const name = skillNameOf(key);
    if (!isJsonObject(tool)) throw unusable(key, 'it is not an object.');
    const given = tool as unknown as FunctionTool | AiSdkTool;
    return 'inputSchema' in given ? aiSdkSkill(name, key, given) : defineSkill({ ...given, name });
  });
}

function skillNameOf(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_-]+/g, '-')
    .toLowerCase();
}

function aiSdkSkill(name: string, key: string, tool: AiSdkTool): DefinedSkill {
  const { description, needsApproval = false } = tool;
  const execute = tool.execute?.bind(tool) as Execute | undefined;
  if (execute === undefined)
    throw unusable(
      key,
      'it has no execute function.',
      'Tools that a client or a provider executes cannot be used.',
    );
  let read: ReadSchema | undefined;
  const schema = (): ReadSchema => (read ??= readSchema(key, tool.inputSchema));
  if (!isLazy(tool.inputSchema)) schema(); // Refuse a schema that cannot be read before models are offered it.
  return defineSkill({
    name,
    description: typeof description === 'string' && description.trim() !== '' ? description : key,
    input: () => schema().input,
    needsApproval:
      typeof needsApproval === 'function'
        ? (input) => mayNeedApproval(schema(), needsApproval as Asks, input)
        : Boolean(needsApproval),
    run: async (input, scope): Promise<Output> => {
      const checked = await schema().check(input);
      const value = await lastOf(execute(checked, optionsFor(scope)));
      return outputOf(tool, { input: checked, value, scope });
    },
  });
}

type Execute = (input: unknown, options: object) => unknown;
type Asks = (input: unknown) => unknown;

/** Whether a call needs approval, by the input that the function will get. */
async function mayNeedApproval(schema: ReadSchema, asks: Asks, input: unknown): Promise<boolean> {
  let checked: unknown;
  try {
    checked = await schema.check(input);
  } catch {
    return false; // The call fails for the same reason.
  }
  return Boolean(await asks(checked));
}

/** The options that the AI SDK passes to a tool, as far as they exist here. */
function optionsFor({ run, signal }: Scope): object {
  return { toolCallId: run.frameId, messages: [], abortSignal: signal };
}

/** Returns the last value of a tool that yields preliminary values, or else the value itself. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned))
    return returned;
  let last: unknown;
  for await (const value of returned as AsyncIterable<unknown>) last = value;
  return last;
}

interface Executed {
  readonly input: unknown;
  readonly value: unknown;
  readonly scope: Scope;
}

async function outputOf(tool: AiSdkTool, { input, value, scope }: Executed): Promise<Output> {
  if (value === undefined) return { status: 'done', text: '' };
  const plain = toPlain(value);
  const forModel = tool.toModelOutput?.bind(tool) as ((options: object) => unknown) | undefined;
  const shown = await forModel?.({ toolCallId: scope.run.frameId, input, output: value });
  const text = isJsonObject(shown) && shown['type'] === 'text' ? shown['value'] : undefined;
  return { status: 'done', text: typeof text === 'string' ? text : textOfValue(plain), value: plain };
}

/** The schema of a tool's input. */
interface ReadSchema {
  readonly input: ZodType;
  /** Applies checks and conversions that the JSON Schema cannot express. Rejects with `usage.bad-input`. */
  check(input: unknown): Promise<unknown>;
}

/** Reads any schema that the AI SDK accepts, except those that need its own packages. */
function readSchema(key: string, given: unknown): ReadSchema {
  const schema: unknown = isLazy(given) ? given() : given;
  if (typeof (schema as Partial<ZodType> | null)?.toJSONSchema === 'function')
    return { input: schema as ZodType, check: (input) => Promise.resolve(input) };
  const { jsonSchema, validate, '~standard': standard } = (schema ?? {}) as Partial<ForeignSchema>;
  const json = jsonSchema ?? standard?.jsonSchema?.input({ target: 'draft-2020-12' });
  if (!isJsonObject(json) || 'then' in json)
    throw unusable(key, 'its inputSchema cannot be read.', 'Use a zod 4 schema, or jsonSchema(…).');
  return {
    input: schemaFor(`the tool "${key}"`, json),
    check: async (input) => {
      if (validate !== undefined) return accepted(key, await validate(input));
      if (standard === undefined) return input;
      const { issues, value } = await standard.validate(input);
      return accepted(key, { success: issues === undefined, value, error: issues?.[0] });
    },
  };
}

/** Whether a schema is a function that creates it. Some libraries' schemas are functions themselves. */
function isLazy(schema: unknown): schema is () => unknown {
  return typeof schema === 'function' && !('~standard' in schema);
}

/** A schema made by `jsonSchema` of the AI SDK, or a standard schema. */
interface ForeignSchema {
  readonly jsonSchema: JsonObject;
  validate(value: unknown): Validated | PromiseLike<Validated>;
  readonly '~standard': {
    validate(value: unknown): Standard | PromiseLike<Standard>;
    readonly jsonSchema?: { input(options: { readonly target: string }): JsonObject };
  };
}

interface Validated {
  readonly success: boolean;
  readonly value?: unknown;
  readonly error?: unknown;
}

interface Standard {
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string }[];
}

function accepted(key: string, { success, value, error }: Validated): unknown {
  if (success) return value;
  throw new AgentError('usage.bad-input', `The input of "${key}" is not valid: ${reasonOf(error)}`, {
    hint: 'Correct the input, and call the tool again.',
  });
}

function unusable(key: string, why: string, hint = 'Pass a tool with a schema and a function.'): AgentError {
  return new AgentError('skill.invalid', `The tool "${key}" cannot be used: ${why}`, { hint });
}
