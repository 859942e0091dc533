import type { output, ZodType } from 'zod';
import type { DefinedSkill } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LoadedSkill } from '../skills/load-skill.ts';
import { callSkill, type SessionHost, type UntypedOptions } from './session-skill.ts';
import { runShell, type ShellOptions, type ShellResult } from './session-shell.ts';

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
