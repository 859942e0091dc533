import type { Attachment, MessageAttachment } from './model/attachment.ts';
import type { Json } from './json.ts';
import type { Message } from './model.ts';
import type { Question } from './run.ts';

/** The session used by requests that do not name one. */
export const defaultSession = 'default';

/** Limits for sessions. A value of 0 disables that limit. */
export interface SessionConfig {
  /**
   * The maximum number of sessions. Beyond it, the least recently used session is deleted. Default: 1,000.
   */
  readonly maxSessions: number;
  /** The period of inactivity after which a session is deleted, in milliseconds. Default: 2 hours. */
  readonly sessionTTL: number;
  /** The interval between session cleanups, in milliseconds. Default: 5 minutes. */
  readonly cleanupInterval: number;
}

/**
 * A session's metadata, which can be read without its values. Timestamps are in milliseconds since the Unix
 * epoch.
 */
export interface SessionFacts {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly lastAccessTime: number;
  readonly ageMs: number;
  readonly idleMs: number;
  /** The number of values in the session's memory. */
  readonly size: number;
  /** Whether any run is in progress in the session. */
  readonly isExecuting: boolean;
  /** Whether one of the session's runs is waiting for human input. */
  readonly isWaiting: boolean;
}

/** A snapshot of all sessions. */
export interface SessionStats {
  readonly totalSessions: number;
  /** The number of sessions, not counting the default session. */
  readonly userSessions: number;
  readonly config: SessionConfig;
  readonly sessions: readonly SessionFacts[];
}

/**
 * The values stored for one session. Skills store their values under `<skill>/<key>`, the conversation's
 * summary has the key `summary`, and the host uses other keys.
 */
export interface SessionMemory {
  get(key: string): Promise<Json | undefined>;
  has(key: string): Promise<boolean>;
  set(key: string, value: Json): Promise<void>;
  /**
   * Replaces a value with the result of a function. If another process changes the value in the meantime, the
   * function is called again. Resolves with the new value.
   */
  update(key: string, change: (value: Json | undefined) => Json): Promise<Json>;
  /** Resolves to true if the key had a value. */
  delete(key: string): Promise<boolean>;
  entries(): Promise<ReadonlyMap<string, Json>>;
}

/**
 * A map that the caller supplies in place of a session's memory, such as a `Map` or another session's memory.
 */
export interface MemoryMap {
  get(key: string): Json | undefined | Promise<Json | undefined>;
  set(key: string, value: Json): unknown;
  delete(key: string): unknown;
  /** Lists the values. If absent, a skill's `entries` contains only the values set by the current call. */
  entries?(): Iterable<readonly [string, Json]> | Promise<Iterable<readonly [string, Json]>>;
}

/** The key of the conversation's summary in a session's memory. */
export const summaryKey = 'summary';

/** The store space for the table of sessions, which contains each session's metadata, keyed by id. */
export const sessionsSpace = 'sessions';

/** The store space that contains each session's queue of running and waiting turns, keyed by session id. */
export const turnLinesSpace = 'turn-lines';

/** The store space in which earlier versions kept conversation summaries, keyed by session id. */
export const summariesSpace = 'summaries';

/**
 * Returns the store space that contains a session's values. No two session ids share a space, because the id
 * is everything after the slash.
 */
export function memorySpace(id: string): string {
  return `memory/${id}`;
}

/** Returns the store space that contains a session's turns, ordered by key. */
export function turnsSpace(id: string): string {
  return `turns/${id}`;
}

/** Returns the store space that contains the pictures of a session, keyed by digest. */
export function attachmentsSpace(id: string): string {
  return `attachments/${id}`;
}

/** A turn of a conversation that took place elsewhere, for example in a client that keeps its own messages. */
export interface GivenTurn {
  readonly prompt: string;
  /** The calls that were made for the answer, with their results. */
  readonly calls?: readonly Message[];
  readonly text: string;
}

/** Options for reading a conversation. */
export interface HistoryOptions {
  /** Whether to omit the calls and results of a session's turns. */
  readonly textOnly?: boolean;
}

/** Session values that a skill stores for its later calls. */
export interface Memory {
  /**
   * Returns the value set by this call or, if there is none, by the skill's last successful call. The key
   * `summary` returns the conversation's summary unless the skill has set its own.
   */
  get(key: string): Promise<Json | undefined>;
  has(key: string): Promise<boolean>;
  /** Sets a value. Other calls see it once this call has succeeded; a failed call stores nothing. */
  set(key: string, value: Json): void;
  delete(key: string): void;
  /** Returns all values that `get` can return, by key. */
  entries(): Promise<ReadonlyMap<string, Json>>;
}

/** A finished turn of a session. */
export interface SessionTurn {
  /** The turn's position in the session, starting at 1. */
  readonly number: number;
  /** The prompt, the calls with their results, and the answer. */
  readonly messages: readonly Message[];
}

/** A file of the project with instructions for assistants, such as `AGENTS.md`. */
export interface InstructionFile {
  /** The path relative to the workspace, such as `../AGENTS.md`. */
  readonly path: string;
  readonly text: string;
  /** Set if the end of the file was cut off, because all files together exceed their budget. */
  readonly isCut?: true;
}

/** The surroundings in which a conversation is held. */
export interface Surroundings {
  readonly platform: string;
  /** Whether the call is the first of a turn in a session. */
  readonly isTurn: boolean;
  /** The summary of the session, if the settings enable summaries. */
  readonly summary?: string;
  /** The instructions of the program that runs the agent. */
  readonly program?: string;
  /** The pictures that the user added to the prompt. */
  readonly attachments?: readonly MessageAttachment[];
  /** The project's instructions, nearest first. */
  readonly instructions: readonly InstructionFile[];
  /** Files that were not used, each with the reason. */
  readonly unused: readonly { readonly path: string; readonly reason: string }[];
}

/** A call's session, and the host program's means of communicating with the user. */
export interface ScopeContext {
  /**
   * Returns the session's turns after the turn with this number, oldest first. Empty unless the call is the
   * first of a turn. Records only the number of the last turn.
   */
  turns(after: number): Promise<readonly SessionTurn[]>;
  /** Returns the platform and the project's instructions. */
  surroundings(): Promise<Surroundings>;
  /** Stores a picture for the session, so that a result can contain it. Can be called within a step. */
  attach(picture: Attachment): Promise<MessageAttachment>;
  readonly sessionId: string;
  /** The session's memory, scoped to the skill. The same object as the scope's `memory`. */
  readonly sessionMemory: Memory;
  /** The host program's means of communicating with the user. Absent if it provides none. */
  readonly io?: ScopeIo;
}

/**
 * The host program's `io`, as skills can use it. Questions and output are recorded in the same way as with
 * `ask` and `note`.
 */
export interface ScopeIo {
  readonly inputReader?: (question: Question | string) => Promise<Json>;
  readonly outputWriter?: (line: string) => void;
}
