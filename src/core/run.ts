import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import type { Usage } from './model.ts';
import type { ApprovalRequest } from './policy.ts';
import type { RunLimits } from './run-limits.ts';

/** What a call to a skill came to; a failure is data for the caller, which continues. */
export type Output =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly value?: Json;
      /** What the steps of a plan came to, by name. */
      readonly variables?: JsonObject;
    }
  | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };

/** What a prompt says of itself. */
interface ReadPrompt {
  /** The skill that it names at its start. */
  readonly name?: string;
  /** What it names it with. */
  readonly mark?: '/' | '@';
  /** What is left of it. */
  readonly words: string;
}

/** Reads `/name words` and `@name words`; everything else is words. Pure. */
export function readPrompt(prompt: string): ReadPrompt {
  const [, mark, name, words = ''] = /^\s*([/@])([\p{L}\p{N}]\S*)([^]*)$/u.exec(prompt) ?? [];
  if (name === undefined) return { words: prompt };
  return { name, mark: mark === '@' ? '@' : '/', words: words.trim() };
}

/** Whether a prompt drops the question that waits instead of answering it; a skill of that name is called with an at sign. Pure. */
export function isDropping(prompt: string): boolean {
  return /^\s*\/cancel(?:\s|$)/.test(prompt);
}

/** How many roles one person may have. */
export const mostRoles = 100;

/** What roles must be, as the end of a sentence. */
export const rolesExpected = `a list of at most ${mostRoles} names`;

/** Whether something can be the roles of a person. */
export function areRoles(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > mostRoles) return false;
  return value.every((role) => typeof role === 'string' && role.trim() !== '');
}

/** The answer that a text stands for: the option with this number, unless the text is an option itself. Pure. */
export function chosenOption({ options = [] }: Pick<OpenQuestion, 'options'>, text: string): string {
  if (options.includes(text) || !/^\d+$/.test(text)) return text;
  return options[Number(text) - 1] ?? text;
}

/** What somebody asks an agent to do. */
export interface RunRequest {
  /** The skill to call, by any of its names. Without one the prompt decides. */
  readonly skill?: string;
  /** What is asked in words: `/name words` and `@name words` name a skill. With a session it is a turn of its conversation. */
  readonly prompt?: string;
  /** What the skill is given; the prompt unless said. */
  readonly input?: Json;
  /** The way into the skill; its ordinary work unless said. The input of `build` is a `BuildRequest`. */
  readonly through?: 'load' | 'build';
  readonly wanted?: Wanted;
  /** Whose memory it uses; the default session unless given. */
  readonly session?: string;
  /** Who asks; a session that another user began is `policy.denied`. */
  readonly user?: string;
  /** What they may do; skills that let only some people in go by it. None unless given. */
  readonly roles?: readonly string[];
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type RunEnd = 'done' | 'failed' | 'cancelled';

/** Where a run stands; `interrupted` when the process that worked on it went silent. */
export type RunStatus = RunEnd | 'running' | 'waiting' | 'interrupted';

/** Whether nothing of a run goes on or will go on. */
export function hasEnded(status: RunStatus): status is RunEnd {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** A question that waits for a person. */
export interface OpenQuestion extends Question {
  readonly id: string;
  readonly kind: 'input' | 'approval';
  /** Who asks, from the first skill down. */
  readonly path: readonly string[];
  /** What is to be decided about: the call, and the rule that an approval for the run would allow. */
  readonly asks?: ApprovalRequest;
}

/** What a run came to, failures included: this is what `skilled run --json` prints. */
export interface RunResult {
  readonly ok: boolean;
  readonly runId: string;
  readonly status: RunStatus;
  /** Empty while none is chosen, and when none fits. */
  readonly skill: string;
  readonly text: string;
  readonly value?: Json;
  /** What the steps of a plan came to, by name. */
  readonly variables?: JsonObject;
  /** The oldest open one, while the run waits. */
  readonly question?: OpenQuestion;
  /** A question of an earlier run of the session that this prompt did not answer, so that it is open still. */
  readonly stillOpen?: OpenQuestion;
  /** Files of the workspace that its commands changed and that people run later, such as `package.json` or tests. */
  readonly changedPrograms?: readonly string[];
  readonly usage: Usage;
  readonly error?: ErrorData;
}

/** A way into a skill beside its ordinary work: to load its text into a conversation, to run what it hooks into one, or to make what it is made of. */
export type Entrance = 'load' | 'hook' | 'build';

/** What a caller wants of a call beside what the input says; it goes before what the skill says itself. */
export interface Wanted {
  /** JSON Schema of the value that it must come to. */
  readonly result?: JsonObject;
  /** Takes a value that fits the schema, or throws what is wrong with it; not kept with the run. */
  readonly check?: (value: Json) => Json | Promise<Json>;
  /** Model steps at most. */
  readonly maxTicks?: number;
  /** A role, tier or model. */
  readonly model?: string;
  readonly effort?: string;
}

/** What a person is asked. */
export interface Question {
  readonly text: string;
  /** Answers to choose from; another one may be given all the same. */
  readonly options?: readonly string[];
  /** JSON Schema of the answer; text unless given. */
  readonly schema?: JsonObject;
  /** Milliseconds since 1970 from which on no answer counts; it stays open unless given. */
  readonly expires?: number;
}
