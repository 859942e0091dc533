import type { ZodType, output } from 'zod';
import {
  AgentError,
  isAssistant,
  isJsonObject,
  optional,
  readPrompt,
  warnRenamed,
  type AssistantMode,
  type DefinedSkill,
  type Json,
  type JsonObject,
  type RunHandle,
  type RunOptions,
  type RunRequest,
} from '../../core/index.ts';
import type { LoadedSkill } from '../../skills/load-skill.ts';
import { checkSignal } from '../runs/run-handle.ts';
import type { LocalOptions } from '../runs/start-run.ts';
import { sessionIdOf } from '../../sessions/session-options.ts';
import { callPrompt, callSkill, mustBeDone, type SessionHost, type UntypedOptions } from './call-skill.ts';

/** A skill to call: either one of its names, or the skill as an object, which need not be registered. */
export type CalledSkill<Given = unknown, Value = unknown> =
  string | DefinedSkill<Given, Value> | LoadedSkill<Given>;

/** Options for calling a skill from code. */
export interface SkillOptions<Given = unknown, Result = undefined> {
  /** The skill's arguments. They are typed if the skill declares its input. */
  readonly args?: unknown extends Given ? Json : Given;
  /**
   * The expected result as a zod schema or a JSON Schema. Takes precedence over the output that the skill
   * declares.
   */
  readonly result?: Result;
  /** The maximum number of model steps. */
  readonly maxTicks?: number;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
}

/** Options for running a prompt from code. */
export type PromptCallOptions<Result = undefined> = Omit<SkillOptions<unknown, Result>, 'args'>;

/**
 * The type of a call's value. The type is determined by `result` if that is set, otherwise by the skill's
 * declared output. Without either, the value is the skill's final text.
 */
export type SkillValue<Value, Result> = Result extends ZodType
  ? output<Result>
  : Result extends JsonObject
    ? Json
    : Value;

/**
 * A session for calling skills from code on behalf of one user. Each call is a separate run outside any
 * conversation.
 */
export interface AgentSession {
  readonly id: string;
  /**
   * Runs a skill and resolves to its value. Throws an `AgentError`: `policy.waiting` if the user must first
   * make a decision or answer a question, `skill.no-result` if the skill returns no valid value, or the
   * skill's own error. For a skill called by name, the value is typed as a string; pass another type if the
   * skill's file declares an output.
   */
  skill<Given, Value = string, Result extends ZodType | JsonObject | undefined = undefined>(
    skill: CalledSkill<Given, Value>,
    options?: SkillOptions<NoInfer<Given>, Result>,
  ): Promise<SkillValue<Value, Result>>;
  /**
   * Runs a prompt as the next turn of the conversation, and resolves to its text or, with `result`, to a value
   * of that type. Throws like `skill`.
   */
  prompt<Result extends ZodType | JsonObject | undefined = undefined>(
    text: string,
    options?: PromptCallOptions<Result>,
  ): Promise<SkillValue<string, Result>>;
  /**
   * Runs a shell command in the same way as a skill: under the same policy, in the same sandbox, and recorded
   * in the log.
   */
  shell(command: string, options?: ShellOptions): Promise<ShellResult>;
  /** The configured mode of the assistant, or undefined if neither options nor settings set it. */
  readonly assistant: AssistantMode | undefined;
  /** Summarises the oldest turns of the conversation now. */
  compact(): RunHandle;
  /**
   * Stops a run of this session and gives its prompt to another skill, or to the assistant under the name
   * `(assistant)`. A stopped run is not part of the conversation.
   */
  redirect(runId: string, to: string): Promise<RunHandle>;
}

/** A session's user, and the limits, signal and I/O functions for each of its calls. */
export type SessionOptions = Pick<RunRequest, 'user' | 'limits' | 'signal'> & Pick<RunOptions, 'io'>;

/** Returns the session options. Also accepts the arguments of release 0.1, with a warning. */
export function currentSessionOptions(
  given: SessionOptions | string,
  roles: readonly string[] | undefined,
): SessionOptions {
  if (typeof given === 'object' && roles === undefined) return given;
  warnRenamed('session(id, user, roles)', 'session(id, { user: { id, roles } })');
  const { user, ...options }: SessionOptions = typeof given === 'object' ? given : { user: { id: given } };
  return { ...options, user: { ...optional('roles', roles), ...user } };
}

/** Applies a session's options to a request. A call cannot override the session's limits and signal. */
function withSessionOptions(request: RunRequest, { user, limits, signal }: SessionOptions): RunRequest {
  for (const one of [request.signal, signal]) checkSignal(one);
  const signals = [request.signal, signal].filter((one) => one instanceof AbortSignal);
  return {
    ...request,
    ...optional('user', user),
    ...optional('limits', limits && { ...request.limits, ...limits }),
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
  };
}

/** The agent's own parts that a session needs. */
interface SessionAgent extends Pick<SessionHost, 'context' | 'runs'> {
  start(request: RunRequest, local: LocalOptions): RunHandle;
}

/** Returns the session with this id, or the default session if no id is given, without opening the store. */
export function openSession(
  given: string | null | undefined,
  { io, ...options }: SessionOptions,
  { context, runs, start }: SessionAgent,
): AgentSession {
  const id = sessionIdOf(given);
  const local = optional('io', io);
  const begin: SessionHost['begin'] = (request, registry) =>
    start(withSessionOptions(request, options), { ...local, ...optional('registry', registry) });
  const host = { context, runs, begin };
  return {
    id,
    skill: ((skill: CalledSkill, options: UntypedOptions = {}) =>
      callSkill(host, id, skill, options)) as AgentSession['skill'],
    prompt: ((text: string, options: PromptCallOptions<ZodType> = {}) =>
      callPrompt(host, id, text, options)) as AgentSession['prompt'],
    shell: (command, options = {}) => runShell(host, id, command, options),
    get assistant() {
      const { options, setUp } = host.context;
      return options.assistant ?? setUp.settings.assistant;
    },
    compact: () => host.begin({ toAssistant: true, input: { compact: true }, session: id }),
    redirect: (runId, to) => redirect(host, id, runId, to),
  };
}

/** Stops a run and starts its prompt again for another skill. Throws `usage.not-found` for an unknown run. */
async function redirect(
  { runs, begin }: SessionHost,
  session: string,
  runId: string,
  to: string,
): Promise<RunHandle> {
  const { id } = await runs.find(runId);
  const started = (await runs.events(id)).find(({ type }) => type === 'run.started');
  if (started?.type !== 'run.started' || started.prompt === undefined || started.session !== session) {
    throw new AgentError('usage.bad-input', `Run ${id} is not a turn of this conversation.`, {
      hint: 'Redirect a run that a prompt of this conversation started.',
    });
  }
  await runs.cancel(id, `Redirected to ${to}.`);
  const { assistant } = started;
  const { name, rest } = readPrompt(started.prompt);
  const prompt = name === undefined || rest === '' ? started.prompt : rest;
  const target = isAssistant(to) ? { toAssistant: true } : { skill: to };
  return begin({ prompt, session, question: null, ...target, ...optional('assistant', assistant) });
}

/** Options for running a command. */
export interface ShellOptions {
  /** The number of milliseconds after which the command is stopped with `limit.time`. */
  readonly timeoutMs?: number;
  /** Stops the command when aborted. */
  readonly signal?: AbortSignal;
}

/** The result of a command. A nonzero exit code does not throw. */
export interface ShellResult {
  /** The exit code, or null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command by calling the skill that runs commands. Throws if the command is refused, is stopped or has
 * to wait for a person.
 */
async function runShell(
  { context, begin }: SessionHost,
  session: string,
  command: string,
  { timeoutMs, signal }: ShellOptions,
): Promise<ShellResult> {
  const skill = context.skills.resolve('bash').name;
  const input = { command, ...optional('timeout_ms', timeoutMs) };
  const { value } = mustBeDone(await begin({ skill, input, session, ...optional('signal', signal) }).result);
  if (isShellResult(value)) return value;
  throw new AgentError('skill.no-result', `"${skill}" did not return the command's result.`, {
    hint: 'Check the skill that replaces `bash`.',
  });
}

function isShellResult(value: Json | undefined): value is ShellResult & Json {
  return isJsonObject(value) && 'exitCode' in value && typeof value['stdout'] === 'string';
}
