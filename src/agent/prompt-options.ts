import type { Json, JsonObject } from '../core/json.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { OpenQuestion, Wanted } from '../core/run.ts';
import type { MemoryMap } from '../core/session.ts';

/** How a program speaks with its user while a prompt is carried out. */
export interface PromptIo {
  /** Asked what a skill wants to know; undefined leaves the run waiting. Approvals are not asked here. */
  readonly inputReader?: (question: OpenQuestion, signal: AbortSignal) => Promise<Json | undefined>;
  /** Hears the lines that skills say for whoever watches. */
  readonly outputWriter?: (line: string) => void;
}

/** Who asks. */
export interface PromptUser {
  /** A session belongs to the user who began it; another one gets `policy.denied`. */
  readonly id?: string;
  readonly sessionId?: string;
  /** Stands for a session and is never kept: only its hash is. */
  readonly sessionToken?: string;
  /** What they may do; skills that let only some people in go by it. None unless given. */
  readonly roles?: readonly string[];
}

/** Around what a prompt is carried out. The session is `sessionId`, else that of the user, else its token, else the default one. */
export interface PromptContext {
  readonly sessionId?: string;
  readonly user?: PromptUser;
  /** Stands in for the memory of the session; only this process knows it. */
  readonly sessionMemory?: MemoryMap;
  /** Goes before what the agent was made with. */
  readonly io?: PromptIo;
}

/** How a prompt is carried out. */
export interface PromptOptions {
  /** The skill to call; without it the prompt decides. */
  readonly skillName?: string;
  /** What the skill is given; the prompt is added where the skill takes it and nothing else stands there. */
  readonly args?: JsonObject;
  readonly context?: PromptContext;
  /** Does not wait for skills that are being prepared. */
  readonly skipPreparationAwait?: boolean;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
  readonly wanted?: Wanted;
}
