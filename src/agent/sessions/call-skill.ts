import type { ZodType } from 'zod';
import type { RunHistory } from '../runs/run-history.ts';
import {
  AgentError,
  badInput,
  fitSchema,
  fromErrorData,
  isAgentError,
  isJsonObject,
  optional,
  reasonOf,
  schemaFor,
  schemaOf,
  textOfValue,
  type DefinedSkill,
  type ErrorData,
  type Json,
  type JsonObject,
  type RunHandle,
  type RunRequest,
  type RunResult,
  type Skill,
  type CallOverrides,
} from '../../core/index.ts';
import { reachedAs } from '../../run/permissions/tool-lists.ts';
import type { LoadedSkill } from '../../skills/load-skill.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Skills } from '../../skills/skills.ts';
import type { AgentContext } from '../setup.ts';

/** Everything that a session needs from its agent. */
export interface SessionHost {
  readonly context: AgentContext;
  /** Starts a run. If a registry is passed, the run uses its skills instead of the agent's. */
  readonly begin: (request: RunRequest, registry?: () => Registry) => RunHandle;
  readonly runs: RunHistory;
}

/** Options for calling a skill, as untyped programs can pass them. */
export interface UntypedOptions {
  readonly args?: unknown;
  readonly result?: ZodType | JsonObject;
  readonly maxTicks?: number;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
}

/** Runs a skill until it completes, and returns its result. Throws if the run ends in any other way. */
export async function callSkill(
  { context, begin }: SessionHost,
  session: string,
  called: string | DefinedSkill | LoadedSkill,
  { args, result, maxTicks, signal }: UntypedOptions,
): Promise<unknown> {
  const { skill, name, registry } = find(context.skills, called);
  const schema = result ?? declaredBy(called);
  const expected = schema === undefined ? undefined : toExpectedResult(schema);
  const request: RunRequest = {
    skill: name,
    session,
    ...optional('input', args as Json | undefined),
    overrides: buildOverrides(expected, maxTicks),
    ...optional('signal', signal),
  };
  const run = mustBeDone(await begin(request, registry).result);
  if (expected !== undefined) return expected.read(run);
  if (skill.card.output !== undefined) return mustHaveValue(run);
  return isPlain(called, run) ? run.value : run.text;
}

/**
 * Runs a prompt as the session's next turn, and returns its text, or its value if a result is expected. Throws
 * if the run ends in any other way.
 */
export async function callPrompt(
  { begin }: SessionHost,
  session: string,
  prompt: string,
  { result, maxTicks, signal }: Omit<UntypedOptions, 'args'>,
): Promise<unknown> {
  const expected = result === undefined ? undefined : toExpectedResult(result);
  const overrides = buildOverrides(expected, maxTicks);
  const run = mustBeDone(await begin({ prompt, session, overrides, ...optional('signal', signal) }).result);
  return expected === undefined ? run.text : expected.read(run);
}

/** Whether a skill's function returned a value without a text of its own. */
function isPlain(called: string | DefinedSkill | LoadedSkill, { text, value }: RunResult): boolean {
  if (typeof called === 'string' || called.kind === 'loaded' || called.run === undefined) return false;
  return value !== undefined && text === textOfValue(value);
}

interface Found {
  readonly skill: Skill;
  /** A name that identifies the skill unambiguously. */
  readonly name: string;
  readonly registry?: () => Registry;
}

/**
 * Finds the skill to call. Names are resolved immediately, so that an unknown name does not start a run. A
 * skill passed as an object need not be registered.
 */
function find(skills: Skills, called: string | DefinedSkill | LoadedSkill): Found {
  if (typeof called === 'string') return { skill: skills.resolve(called), name: called };
  const { registry, skill } = skills.snapshotWith(called);
  return { skill, name: reachedAs(registry, skill), registry: () => skills.snapshotWith(called).registry };
}

/**
 * Returns the output schema of a skill that is defined in code by instructions. Returns undefined for other
 * skills; a skill with a `run` function, for example, produces its own value.
 */
function declaredBy(called: string | DefinedSkill | LoadedSkill): ZodType | undefined {
  if (typeof called === 'string' || called.kind === 'loaded' || called.run !== undefined) return undefined;
  return typeof called.output === 'function' ? called.output() : called.output;
}

function buildOverrides(result: ExpectedResult | undefined, maxTicks: number | undefined): CallOverrides {
  const value = result === undefined ? {} : { result: result.schema, ...optional('check', result.check) };
  if (maxTicks === undefined) return value;
  if (Number.isSafeInteger(maxTicks) && maxTicks > 0) return { ...value, maxTicks };
  throw new AgentError('usage.bad-input', 'maxTicks must be a whole number above zero.', {
    hint: 'Pass the maximum number of model steps.',
  });
}

/** The result that a caller expects. */
interface ExpectedResult {
  /** The schema that the model receives. */
  readonly schema: JsonObject;
  /** Checks constraints that the schema cannot express, so that the model can still correct its result. */
  readonly check?: CallOverrides['check'];
  /**
   * Returns the value for the caller, or a promise for it. Throws `skill.no-result` if the value does not
   * match the schema.
   */
  read(run: RunResult): unknown;
}

/** Converts a zod schema or a JSON Schema. Throws `usage.bad-input` for anything else. */
function toExpectedResult(schema: ZodType | JsonObject): ExpectedResult {
  if (isZod(schema)) return byZod(schema);
  if (isJsonObject(schema)) return byJsonSchema(schema);
  throw notASchema('it is not an object.');
}

/** Returns a run's value. Throws `skill.no-result` if the run has no value. */
function mustHaveValue(run: RunResult): Json {
  if (run.value !== undefined) return run.value;
  throw noResult(run, 'It returned no value.');
}

function noResult({ skill, runId }: RunResult, why: string, details: JsonObject = {}): AgentError {
  return new AgentError('skill.no-result', `"${skill}" returned no valid result. ${why}`, {
    hint: 'Inspect the run, or ask for something simpler.',
    details: { ...details, runId },
  });
}

function byZod(schema: ZodType): ExpectedResult {
  return {
    schema: jsonSchemaOf(schema),
    async check(value) {
      const { error } = await schema.safeParseAsync(value);
      if (error !== undefined) throw badInput('the result', error.issues, value);
      return value; // The log stores the raw value; `read` parses it for the caller.
    },
    async read(run) {
      const value = mustHaveValue(run);
      const { success, data, error } = await schema.safeParseAsync(value);
      if (success) return data;
      throw misfit(run, badInput('the result', error.issues, value));
    },
  };
}

function byJsonSchema(schema: JsonObject): ExpectedResult {
  try {
    schemaFor('the result', schema);
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
  return {
    schema,
    read(run) {
      const value = mustHaveValue(run);
      try {
        return fitSchema('the result', schema, value);
      } catch (thrown) {
        throw isAgentError(thrown) ? misfit(run, thrown) : thrown;
      }
    },
  };
}

function isZod(schema: ZodType | JsonObject): schema is ZodType {
  return typeof (schema as Partial<ZodType> | null)?.safeParse === 'function';
}

/**
 * Converts a zod schema to a JSON Schema. Throws for schemas from older zod versions, which cannot be
 * converted.
 */
function jsonSchemaOf(schema: ZodType): JsonObject {
  try {
    return schemaOf(schema) as JsonObject;
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
}

function notASchema(reason: string): AgentError {
  return new AgentError('usage.bad-input', `The result schema cannot be read: ${reason}`, {
    hint: 'Pass a zod 4 schema or a JSON Schema.',
  });
}

function misfit(run: RunResult, { message, details }: AgentError): AgentError {
  return noResult(run, message, isJsonObject(details) ? details : {});
}

/**
 * Returns the result of a run that succeeded. For any other run, throws its error with the run's id added.
 */
export function mustBeDone(result: RunResult): RunResult {
  if (result.ok) return result;
  if (result.status === 'waiting') throw waiting(result);
  const { runId, status, error = { code: 'internal.bug', message: `The run is ${status}.` } } = result;
  throw fromErrorData({ ...error, details: detailsWith(runId, error) });
}

function detailsWith(runId: string, { details = {} }: ErrorData): Json {
  return isJsonObject(details) ? { ...details, runId } : details;
}

function waiting({ runId, skill, text, question }: RunResult): AgentError {
  const answer =
    question?.kind === 'approval'
      ? `agent.runs.approve('${runId}', '${question.id}', …)`
      : `agent.runs.answer('${runId}', …)`;
  return new AgentError('policy.waiting', `"${skill}" is waiting for a person: ${text}`, {
    hint: `Decide with ${answer}, then continue with agent.runs.resume('${runId}').`,
    details: { runId, ...(question === undefined ? {} : { question: question as unknown as Json }) },
  });
}
