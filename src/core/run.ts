import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import type { Usage } from './model.ts';
import type { ApprovalRequest } from './policy.ts';
import type { Question } from './question.ts';
import type { RunLimits } from './run-limits.ts';
import type { Wanted } from './wanted.ts';

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
