import type { Attachment, MessageAttachment } from './model/attachment.ts';
import { membersOf } from './collections.ts';
import type { ClientToolCall, ClientTool } from './policy/client-tools.ts';
import type { RunAccess, RunUser } from './policy/run-access.ts';
import type { LimitOptions } from './policy/run-limits.ts';
import type { ErrorData } from './error.ts';
import { asText, isJsonObject, type Json, type JsonObject } from './json.ts';
import { typesOf } from './json/coerce.ts';
import { toPlain } from './json/normalize.ts';
import type { Usage } from './model.ts';
import type { ApprovalRequest } from './policy.ts';
import { trimEndOf } from './text.ts';

/** The result of calling a skill. A failure is returned as data, and the caller continues. */
export type Output =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly value?: Json;
      /** The results of a plan's steps, keyed by name. */
      readonly variables?: JsonObject;
      /** Pictures that a calling model sees together with the text. */
      readonly attachments?: readonly MessageAttachment[];
    }
  | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };

/**
 * Converts a function's return value to an output. Anything that is not already an output becomes the
 * output's value.
 */
export function outputFrom(returned: unknown): Output {
  if (isOutput(returned)) return returned;
  if (returned === undefined) return { status: 'done', text: '' };
  const value = toPlain(returned);
  return { status: 'done', text: textOfValue(value), value };
}

/** Returns the text of an output that consists only of a value. */
export function textOfValue(value: Json): string {
  return value === null ? '' : asText(value);
}

const outputKeys: readonly string[] = ['status', 'text', 'value', 'variables', 'attachments', 'error'];

/** Whether a value is an output. A value with any additional key is plain data. */
function isOutput(returned: unknown): returned is Output {
  const members = membersOf(returned);
  const { status, text, error } = members;
  if (Object.keys(members).some((key) => members[key] !== undefined && !outputKeys.includes(key)))
    return false;
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
 * Whether a prompt cancels the pending question instead of answering it. A skill named `cancel` can still be
 * called with `@cancel`. Pure.
 */
export function isDropping(prompt: string): boolean {
  return /^\s*\/cancel(?:\s|$)/.test(prompt);
}

/**
 * Converts a user's text to an answer. A number selects the option at that position, unless the number itself
 * is an option. Pure.
 */
export function chosenOption({ options = [] }: Pick<OpenQuestion, 'options'>, text: string): string {
  if (options.includes(text) || !/^\d+$/.test(text)) return text;
  return options[Number(text) - 1] ?? text;
}

const affirmative = /^(?:y|yes|ok|okay|true|proceed|continue|go ahead|confirm|approve|accept|agree|allow)\b/i;
const negative = /^(?:n|no|false|cancel|abort|stop|decline|reject|refuse|disagree|deny)\b/i;

/** Whether a question asks for a decision such as yes or no, for example before a deletion. Pure. */
export function isConfirmation(question: Pick<OpenQuestion, 'options' | 'schema'>): boolean {
  const types = typesOf(question.schema);
  if (types.includes('boolean') && !types.includes('string')) return true;
  const choices = offeredAnswers(question);
  return [affirmative, negative].every((answer) => choices.some((choice) => answer.test(choice.trim())));
}

/** Whether a prompt consists of a yes, a no or a similar decision. Pure. */
export function isDecision(prompt: string): boolean {
  const text = trimEndOf(prompt.trim(), /[\s.!]/);
  return [affirmative, negative].some((answer) => answer.exec(text)?.[0] === text);
}

/** Returns the answers that a question suggests, in its options or in its schema, as text. Pure. */
export function offeredAnswers({
  options = [],
  schema,
}: Pick<OpenQuestion, 'options' | 'schema'>): readonly string[] {
  return [...options, ...choicesIn(schema)];
}

function choicesIn({ const: only, enum: listed, anyOf, oneOf }: JsonObject = {}): readonly string[] {
  const values = [...listOf(listed), ...(only === undefined ? [] : [only])];
  const inner = [...listOf(anyOf), ...listOf(oneOf)].filter(isJsonObject);
  return [...values.filter((value) => typeof value === 'string'), ...inner.flatMap(choicesIn)];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/**
 * How the assistant treats a prompt that no skill fits: `open` answers it from the conversation and the
 * project's context, `skills-only` says that nothing fits.
 */
export type AssistantMode = 'open' | 'skills-only';

/** A request to an agent. */
export interface RunRequest {
  /**
   * The id of the run: 1 to 100 letters, digits, hyphens, underscores and dots. Default: a random id. If the
   * run exists, it is followed or continued instead, and nothing is repeated.
   */
  readonly id?: string;
  /** Whether any server with the same store continues the run after a crash. Default false. */
  readonly submitted?: boolean;
  /** A name of the skill to call. If absent, the prompt determines the skill. */
  readonly skill?: string;
  /** The assistant's mode for a prompt that no skill fits. Default: the agent's own mode. */
  readonly assistant?: AssistantMode;
  /** Whether the assistant takes the prompt, without selecting a skill for it. */
  readonly toAssistant?: boolean;
  /**
   * The request as text. `/name text` and `@name text` name a skill. In a session, the prompt is a turn of
   * the conversation.
   */
  readonly prompt?: string;
  /** Pictures for the model that answers the prompt. Only the assistant receives them. */
  readonly attachments?: readonly Attachment[];
  /** The skill's input. Default: the prompt. */
  readonly input?: Json;
  /** The mode of the call. Default: normal execution. The input of `build` is a `BuildRequest`. */
  readonly mode?: 'load' | 'build';
  /** Settings that replace the skill's own for this call, such as `model` and `maxTicks`. */
  readonly overrides?: CallOverrides;
  /** The session whose memory is used. Default: the default session. */
  readonly session?: string;
  /**
   * The only question that the prompt can answer, as shown to the user, or null if the prompt must not answer
   * any question. Default: the oldest open question.
   */
  readonly question?: ShownQuestion | null;
  readonly user?: RunUser;
  /** The id of the key with which a server received the request. Recorded for usage and budgets. */
  readonly client?: string;
  /** Restrictions of the whole run, recorded with it. They only remove what the project allows. */
  readonly access?: RunAccess;
  /** Instructions for the assistant, in addition to those of the program. */
  readonly instructions?: string;
  /** Tools of the client, for the outermost skill's model. Each call of one is a question of the run. */
  readonly tools?: readonly ClientTool[];
  /** The limits of this run. Omitted limits keep the agent's values. */
  readonly limits?: LimitOptions;
  /** A signal that cancels the run when it aborts. */
  readonly signal?: AbortSignal;
}

/** A pending question that the user was shown, identified by its run's id and its own id. */
export interface ShownQuestion {
  readonly runId: string;
  readonly id: string;
}

/** The functions through which a program communicates with its user while a run is in progress. */
export interface PromptIo {
  /** Answers skills' questions. If it returns undefined, the run keeps waiting. Not used for approvals. */
  readonly inputReader?: (question: OpenQuestion, signal: AbortSignal) => Promise<Json | undefined>;
  /** Receives the lines that skills output. */
  readonly outputWriter?: (line: string) => void;
}

/** A request from a program. It can also use the option names of release 0.1. */
export interface RunOptions extends Omit<RunRequest, 'user'> {
  /** Overrides the agent's `io`. */
  readonly io?: PromptIo;
  /** The user. Passing the user's id as a string is deprecated. */
  readonly user?: RunUser | string;
  /** @deprecated Use `user.roles`. */
  readonly roles?: readonly string[];
  /** @deprecated Use `mode`. */
  readonly through?: 'load' | 'build';
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
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
  /** The names of the calling skills, outermost first, followed by the skill that asks the question. */
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

/** Settings with which a caller overrides the skill's own for one call. */
export interface CallOverrides {
  /** The JSON Schema of the result value. */
  readonly result?: JsonObject;
  /**
   * Checks a result that matches the schema. Returns the value to use, or throws an error. Not stored with
   * the run.
   */
  readonly check?: (value: Json) => Json | Promise<Json>;
  /**
   * The maximum number of model steps of this call. For an entire run, it also raises `limits.steps`, unless
   * the request sets that limit. A nested call cannot exceed `limits.steps`.
   */
  readonly maxTicks?: number;
  /** The role, tier or model to use. */
  readonly model?: string;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the skill's
   * effort, or the model's default if the skill sets none.
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
  /** The call of a client's tool that the answer is the result of. */
  readonly tool?: ClientToolCall;
}
