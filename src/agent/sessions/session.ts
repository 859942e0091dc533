import type { ZodType, output } from 'zod';
import {
  AgentError,
  isJsonObject,
  optional,
  type DefinedSkill,
  type Json,
  type JsonObject,
  type SessionMemory,
} from '../../core/index.ts';
import type { LoadedSkill } from '../../skills/load-skill.ts';
import { callSkill, mustBeDone, type SessionHost, type UntypedOptions } from './call-skill.ts';

/** A skill to call: by any of its names, or itself, registered or not. */
export type CalledSkill<Given = unknown, Value = unknown> =
  string | DefinedSkill<Given, Value> | LoadedSkill<Given>;

/** How a skill is called from code. */
export interface SkillOptions<Given = unknown, Result = undefined> {
  /** What it is given; typed where the skill says what it takes. */
  readonly args?: unknown extends Given ? Json : Given;
  /** What it must come to: a zod schema, or a JSON Schema. It goes before what the skill says itself. */
  readonly result?: Result;
  /** Model steps at most. */
  readonly maxTicks?: number;
  readonly signal?: AbortSignal;
}

/** What a call comes to: what was wanted, else the declared output of the skill, else its final text. */
export type SkillValue<Value, Result> = Result extends ZodType
  ? output<Result>
  : Result extends JsonObject
    ? Json
    : Value;

/** What code does on behalf of one user; each call is a run of its own, and nothing of it joins another conversation. */
export interface AgentSession {
  readonly id: string;
  /**
   * Lets a skill work on its own and resolves with what it comes to. Throws `AgentError`: `policy.waiting` when a person
   * is to decide or to answer first, `skill.no-result` when no fitting value came of it, else what it failed with. By
   * name the type is that of a text; name another one for a skill whose file declares an output.
   */
  skill<Given, Value = string, Result extends ZodType | JsonObject | undefined = undefined>(
    skill: CalledSkill<Given, Value>,
    options?: SkillOptions<NoInfer<Given>, Result>,
  ): Promise<SkillValue<Value, Result>>;
  /** Runs a shell command as a skill would: by the same policy, in the same sandbox, on the record. */
  shell(command: string, options?: ShellOptions): Promise<ShellResult>;
}

/** The session of this id; nothing is opened for it. */
export function sessionOf(id: string, host: SessionHost): AgentSession {
  if (typeof (id as unknown) !== 'string' || id === '') {
    throw new AgentError('usage.bad-input', 'The id of a session must be a text.', {
      hint: 'Leave it out for the default session.',
    });
  }
  return {
    id,
    skill: ((skill: CalledSkill, options: UntypedOptions = {}) =>
      callSkill(host, id, skill, options)) as AgentSession['skill'],
    shell: (command, options = {}) => runShell(host, id, command, options),
  };
}

/** The memory of a session that is opened when it is first touched. */
export function sessionMemory(open: () => Promise<SessionMemory>): SessionMemory {
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value) => (await open()).set(key, value),
    delete: async (key) => (await open()).delete(key),
    entries: async () => (await open()).entries(),
  };
}

/** How a command is run. */
export interface ShellOptions {
  /** Milliseconds after which it is stopped, which is `limit.time`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a command ended with; that it failed is for the reader to judge. */
export interface ShellResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command by calling the skill that runs commands; throws when it is refused, stopped or waits for a person. */
async function runShell(
  { lender, begin }: SessionHost,
  session: string,
  command: string,
  { timeoutMs, signal }: ShellOptions,
): Promise<ShellResult> {
  const skill = lender.skills.resolve('bash').name;
  const input = { command, ...optional('timeout_ms', timeoutMs) };
  const { value } = mustBeDone(await begin({ skill, input, session, ...optional('signal', signal) }).result);
  if (isShellResult(value)) return value;
  throw new AgentError('skill.no-result', `"${skill}" did not say what the command ended with.`, {
    hint: 'Look at the skill that took its place.',
  });
}

function isShellResult(value: Json | undefined): value is ShellResult & Json {
  return isJsonObject(value) && 'exitCode' in value && typeof value['stdout'] === 'string';
}
