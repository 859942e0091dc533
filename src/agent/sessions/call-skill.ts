import type { ZodType } from 'zod';
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
  type DefinedSkill,
  type ErrorData,
  type Json,
  type JsonObject,
  type RunHandle,
  type RunLimits,
  type RunRequest,
  type RunResult,
  type Skill,
  type Wanted,
} from '../../core/index.ts';
import { reachedAs } from '../../run/permissions/tool-lists.ts';
import type { LoadedSkill } from '../../skills/load-skill.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Skills } from '../../skills/skills.ts';
import type { Lender } from '../setup.ts';

/** What a session stands on. */
export interface SessionHost {
  readonly lender: Lender;
  /** Begins a run, on other skills than those of the agent where they are given. */
  readonly begin: (request: RunRequest, registry?: () => Registry) => RunHandle;
}

/** How a skill is called, whatever the types say. */
export interface UntypedOptions {
  readonly args?: unknown;
  readonly result?: ZodType | JsonObject;
  readonly maxTicks?: number;
  readonly signal?: AbortSignal;
}

/** Runs a skill to its end and gives what it came to; throws everything else. */
export async function callSkill(
  { lender, begin }: SessionHost,
  session: string,
  called: string | DefinedSkill | LoadedSkill,
  { args, result, maxTicks, signal }: UntypedOptions,
): Promise<unknown> {
  const { skill, name, registry } = find(lender.skills, called);
  const schema = result ?? declaredBy(called);
  const wanted = schema === undefined ? undefined : wantedResult(schema);
  const request: RunRequest = {
    skill: name,
    session,
    ...optional('input', args as Json | undefined),
    ...wishes(wanted, maxTicks, lender.setUp.runLimits),
    ...optional('signal', signal),
  };
  const run = mustBeDone(await begin(request, registry).result);
  if (wanted !== undefined) return wanted.read(run);
  return skill.card.output === undefined ? run.text : mustHaveValue(run);
}

interface Found {
  readonly skill: Skill;
  /** The name that leads to it. */
  readonly name: string;
  readonly registry?: () => Registry;
}

/** A name must be known now, so that a wrong one begins nothing; the skill itself need not be registered. */
function find(skills: Skills, called: string | DefinedSkill | LoadedSkill): Found {
  if (typeof called === 'string') return { skill: skills.resolve(called), name: called };
  const { registry, skill } = skills.snapshotWith(called);
  return { skill, name: reachedAs(registry, skill), registry: () => skills.snapshotWith(called).registry };
}

/** The output that instructions in code promise is judged by its own schema; a function makes its value itself. */
function declaredBy(called: string | DefinedSkill | LoadedSkill): ZodType | undefined {
  if (typeof called === 'string' || called.kind === 'loaded' || called.run !== undefined) return undefined;
  return typeof called.output === 'function' ? called.output() : called.output;
}

/** Whoever asks for more steps in code than a frame usually has gets them. */
function wishes(
  result: WantedResult | undefined,
  maxTicks: number | undefined,
  { steps }: RunLimits,
): Pick<RunRequest, 'wanted' | 'limits'> {
  const value = result === undefined ? {} : { result: result.schema, ...optional('check', result.check) };
  if (maxTicks === undefined) return { wanted: value };
  if (Number.isSafeInteger(maxTicks) && maxTicks > 0) {
    return { wanted: { ...value, maxTicks }, limits: { steps: Math.max(maxTicks, steps) } };
  }
  throw new AgentError('usage.bad-input', 'maxTicks is not a whole number above zero.', {
    hint: 'Say how many model steps it may take.',
  });
}

/** What a caller wants a skill to come to. */
interface WantedResult {
  /** For the model. */
  readonly schema: JsonObject;
  /** Judges what the schema cannot say, while there is still a turn for repair. */
  readonly check?: Wanted['check'];
  /** The value of a run as the caller gets it, or the promise of it; throws `skill.no-result` where none fits. */
  read(run: RunResult): unknown;
}

/** Makes a zod schema or a JSON Schema the wanted result of a skill; throws `usage.bad-input` for anything else. */
function wantedResult(schema: ZodType | JsonObject): WantedResult {
  if (isZod(schema)) return byZod(schema);
  if (isJsonObject(schema)) return byJsonSchema(schema);
  throw notASchema('it is no object.');
}

/** The value of a run; throws `skill.no-result` where it gave none. */
function mustHaveValue(run: RunResult): Json {
  if (run.value !== undefined) return run.value;
  throw noResult(run, 'It gave no value.');
}

function noResult({ skill, runId }: RunResult, why: string, details: JsonObject = {}): AgentError {
  return new AgentError('skill.no-result', `"${skill}" came to no result. ${why}`, {
    hint: 'Look at the run, or ask for something simpler.',
    details: { ...details, runId },
  });
}

function byZod(schema: ZodType): WantedResult {
  return {
    schema: jsonSchemaOf(schema),
    async check(value) {
      const { error } = await schema.safeParseAsync(value);
      if (error !== undefined) throw badInput('the result', error.issues);
      return value; // the log keeps what was said; the caller gets what the schema makes of it
    },
    async read(run) {
      const { success, data, error } = await schema.safeParseAsync(mustHaveValue(run));
      if (success) return data;
      throw misfit(run, badInput('the result', error.issues));
    },
  };
}

function byJsonSchema(schema: JsonObject): WantedResult {
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

/** Schemas of older versions of the library look the same and cannot say this. */
function jsonSchemaOf(schema: ZodType): JsonObject {
  try {
    return schemaOf(schema) as JsonObject;
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
}

function notASchema(reason: string): AgentError {
  return new AgentError('usage.bad-input', `The wanted result cannot be read as a schema: ${reason}`, {
    hint: 'Give a schema of zod 4, or a JSON Schema.',
  });
}

function misfit(run: RunResult, { message, details }: AgentError): AgentError {
  return noResult(run, message, isJsonObject(details) ? details : {});
}

/** A run that is done; throws what any other one came to, with its id among the details. */
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
  return new AgentError('policy.waiting', `"${skill}" waits for a person: ${text}`, {
    hint: `Decide with ${answer}, then go on with agent.runs.resume('${runId}').`,
    details: { runId, ...(question === undefined ? {} : { question: question as unknown as Json }) },
  });
}
