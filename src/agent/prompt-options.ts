import type {
  AssistantMode,
  Attachment,
  CallOverrides,
  JsonObject,
  LimitOptions,
  MemoryMap,
  PromptIo,
  RunUser,
  ShownQuestion,
} from '../core/index.ts';

/** The user on whose behalf a prompt runs, and the token that identifies the user's session. */
export interface PromptUser extends RunUser {
  readonly sessionId?: string;
  /** A token that identifies a session. Only its hash is stored. */
  readonly sessionToken?: string;
}

/**
 * A prompt's session, user, memory and I/O functions in one object, for programs written for
 * AchillesAgentLib. New programs should use the prompt's own options, which take precedence. The session is
 * the first available of these: `sessionId`, the session of the user or token, and the default session.
 */
export interface PromptContext {
  readonly sessionId?: string;
  readonly user?: PromptUser;
  /** Memory that replaces the session's own. It creates no session and exists only in this process. */
  readonly sessionMemory?: MemoryMap;
  /** Overrides the agent's `io`. */
  readonly io?: PromptIo;
}

/** Options for executing a prompt. */
export interface PromptOptions {
  /** The name of the skill to call. If omitted, the skill is selected based on the prompt. */
  readonly skillName?: string;
  /**
   * The skill's arguments. If the skill accepts the prompt as an argument and that argument is not set, it is
   * set to the prompt.
   */
  readonly args?: JsonObject;
  /** Pictures for the model that answers the prompt. Only the assistant receives them. */
  readonly attachments?: readonly Attachment[];
  /** The assistant's mode for a prompt that no skill fits. Default: the agent's own mode. */
  readonly assistant?: AssistantMode;
  /** The session to continue. Default: the user's session, or the default session if there is no user. */
  readonly session?: string;
  readonly user?: PromptUser;
  /**
   * The only question that the prompt can answer, or null if the prompt must not answer any question.
   * Default: the oldest open question.
   */
  readonly question?: ShownQuestion | null;
  /** Memory that replaces the session's own. It creates no session and exists only in this process. */
  readonly sessionMemory?: MemoryMap;
  /** Overrides the agent's `io`. */
  readonly io?: PromptIo;
  /** The session, user, memory and I/O functions in one object, for programs written for AchillesAgentLib. */
  readonly context?: PromptContext;
  /** Whether to start without waiting for skills that are still being prepared. */
  readonly skipPreparationAwait?: boolean;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal;
  /** The limits of this run. Omitted limits keep the agent's values. */
  readonly limits?: LimitOptions;
  /** Values that override the skill's own values for this call, such as `model` and `maxTicks`. */
  readonly overrides?: CallOverrides;
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
}
