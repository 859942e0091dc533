import { membersOf } from './collections.ts';
import type { LimitOptions } from './policy/run-limits.ts';
import type { ErrorData } from './error.ts';
import { asText, type Json, type JsonObject } from './json.ts';
import { toPlain } from './json/normalize.ts';
import type { Usage } from './model.ts';
import type { ApprovalRequest } from './policy.ts';

/** The result of calling a skill. A failure is returned as data, and the caller continues. */
export type Output =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly value?: Json;
      /** The results of a plan's steps, keyed by name. */
      readonly variables?: JsonObject;
    }
  | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };

/** Converts a function's return value to an output. Anything that is not an output is the value itself. */
export function outputFrom(returned: unknown): Output {
  if (isOutput(returned)) return returned;
  if (returned === undefined) return { status: 'done', text: '' };
  const value = toPlain(returned);
  return { status: 'done', text: value === null ? '' : asText(value), value };
}

function isOutput(returned: unknown): returned is Output {
  const { status, text, error } = membersOf(returned);
  return status === 'done' ? typeof text === 'string' : status === 'failed' && (text ?? error) !== undefined;
}

/** A parsed prompt. */
interface ReadPrompt {
  /** The skill named at the start of the prompt. */
  readonly name?: string;
  /** The character before the skill's name: `/` or `@`. */
  readonly mark?: '/' | '@';
  /** The rest of the prompt, after the skill's name. */
  readonly rest: string;
}

/** Parses `/name text` and `@name text`. Everything else is plain text. Pure. */
export function readPrompt(prompt: string): ReadPrompt {
  const [, mark, name, rest = ''] = /^\s*([/@])([\p{L}\p{N}]\S*)([^]*)$/u.exec(prompt) ?? [];
  if (name === undefined) return { rest: prompt };
  return { name, mark: mark === '@' ? '@' : '/', rest: rest.trim() };
}

/**
 * Whether a prompt cancels the pending question instead of answering it. A skill with the same name as this
 * command can still be called with `@`. Pure.
 */
export function isDropping(prompt: string): boolean {
  return /^\s*\/cancel(?:\s|$)/.test(prompt);
}

/** The maximum number of roles per user. */
export const maxRoles = 100;

/** A description of valid roles, as the end of a sentence. */
export const rolesExpected = `a list of at most ${maxRoles} names`;

/** Whether a value is a valid list of roles. */
export function areRoles(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > maxRoles) return false;
  return value.every((role) => typeof role === 'string' && role.trim() !== '');
}

/**
 * Converts text to an answer. A number selects the option at that position, unless the number itself is an
 * option. Pure.
 */
export function chosenOption({ options = [] }: Pick<OpenQuestion, 'options'>, text: string): string {
  if (options.includes(text) || !/^\d+$/.test(text)) return text;
  return options[Number(text) - 1] ?? text;
}

/** Whether a question only asks for yes or no, for example before a deletion. Pure. */
export function isConfirmation({ options = [], schema }: Pick<OpenQuestion, 'options' | 'schema'>): boolean {
  if (schema?.['type'] === 'boolean') return true;
  return [/^yes\b/i, /^no\b/i].every((answer) => options.some((option) => answer.test(option.trim())));
}

/** A request to an agent. */
export interface RunRequest {
  /** The skill to call, by any of its names. If absent, the prompt determines the skill. */
  readonly skill?: string;
  /**
   * The request as text. `/name text` and `@name text` name a skill. In a session, the prompt is a turn of
   * the conversation.
   */
  readonly prompt?: string;
  /** The skill's input. Default: the prompt. */
  readonly input?: Json;
  /** The mode of the call. Default: normal execution. The input of `build` is a `BuildRequest`. */
  readonly mode?: 'load' | 'build';
  /** Values that replace the skill's own for this call, such as `model` and `maxTicks`. */
  readonly overrides?: CallOverrides;
  /** The session whose memory is used. Default: the default session. */
  readonly session?: string;
  /**
   * The only question that the prompt can answer, as shown to the user, or null if it must not answer any.
   * Default: the oldest question.
   */
  readonly question?: ShownQuestion | null;
  readonly user?: RunUser;
  /** The limits of this run. Omitted limits keep the agent's values. */
  readonly limits?: LimitOptions;
  readonly signal?: AbortSignal;
}

/** A pending question that the user was shown, identified by its run's id and its own id. */
export interface ShownQuestion {
  readonly runId: string;
  readonly id: string;
}

/** A request from a program, which may also use the names of release 0.1. */
export interface RunOptions extends Omit<RunRequest, 'user'> {
  /** The user. Passing the user's id as a string is deprecated. */
  readonly user?: RunUser | string;
  /** @deprecated Use `user.roles`. */
  readonly roles?: readonly string[];
  /** @deprecated Use `mode`. */
  readonly through?: 'load' | 'build';
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
}

/** The user on whose behalf a run is started. */
export interface RunUser {
  /** The user's id. A session belongs to the user who started it; other users get `policy.denied`. */
  readonly id?: string;
  /** The user's roles. Some skills are available only to certain roles. Default: none. */
  readonly roles?: readonly string[];
}

/** The final status of a run. */
export type RunEnd = 'done' | 'failed' | 'cancelled';

/** The status of a run. `interrupted` means that its process stopped responding. */
export type RunStatus = RunEnd | 'running' | 'waiting' | 'interrupted';

/** Whether a status means that the run has ended for good. */
export function hasEnded(status: RunStatus): status is RunEnd {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** A question that is waiting for an answer. */
export interface OpenQuestion extends Question {
  readonly id: string;
  readonly kind: 'input' | 'approval';
  /** The skill that asks the question, and its callers, starting with the outermost one. */
  readonly path: readonly string[];
  /** The call that needs a decision, and the rule that an approval for the run would allow. */
  readonly asks?: ApprovalRequest;
}

/** The result of a run, including failures. `skilled run --json` prints this. */
export interface RunResult {
  readonly ok: boolean;
  readonly runId: string;
  readonly status: RunStatus;
  /** The skill's name. Empty if no skill has been chosen yet or if none fits. */
  readonly skill: string;
  readonly text: string;
  readonly value?: Json;
  /** The results of a plan's steps, keyed by name. */
  readonly variables?: JsonObject;
  /** The oldest open question. Set while the run is waiting. */
  readonly question?: OpenQuestion;
  /** A question from an earlier run of the session that this prompt left unanswered. */
  readonly stillOpen?: OpenQuestion & { readonly runId: string };
  /**
   * Workspace files that the run's commands changed and that users may run later, such as `package.json` or
   * tests.
   */
  readonly changedPrograms?: readonly string[];
  readonly usage: Usage;
  readonly error?: ErrorData;
}

/**
 * A mode of calling a skill other than normal execution: loading its text into a conversation, running one of
 * its hooks, or generating its code.
 */
export type CallMode = 'load' | 'hook' | 'build';

/** A caller's requirements for a call, apart from the input. They override the skill's own settings. */
export interface CallOverrides {
  /** The JSON Schema of the result value. */
  readonly result?: JsonObject;
  /** Returns a value that fits the schema, or throws an error. Not stored with the run. */
  readonly check?: (value: Json) => Json | Promise<Json>;
  /** The maximum number of model steps. */
  readonly maxTicks?: number;
  /** The role, tier or model to use. */
  readonly model?: string;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the skill's
   * own, or else the model's.
   */
  readonly effort?: string;
}

/** A question for the user. */
export interface Question {
  readonly text: string;
  /** Suggested answers. Any other answer is accepted too. */
  readonly options?: readonly string[];
  /** The JSON Schema of the answer. Default: text. */
  readonly schema?: JsonObject;
  /**
   * The time, in milliseconds since the Unix epoch, after which no answer is accepted. If absent, the
   * question stays open.
   */
  readonly expires?: number;
}
