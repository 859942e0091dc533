import type { Json } from './json.ts';

/** The session of whoever names none. */
export const defaultSession = 'default';

/** How many sessions are remembered, and for how long; 0 switches each off. */
export interface SessionConfig {
  /** Past it the one that was used least recently is forgotten. Default 1,000. */
  readonly maxSessions: number;
  /** Milliseconds without use after which one is forgotten. Default 2 hours. */
  readonly sessionTTL: number;
  /** Milliseconds between two looks for such sessions. Default 5 minutes. */
  readonly cleanupInterval: number;
}

/** What is known of a session without reading its values. Times in milliseconds since 1970. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly lastAccessTime: number;
  readonly ageMs: number;
  readonly idleMs: number;
  /** How many values its memory has. */
  readonly size: number;
  /** Whether something runs in it. */
  readonly isExecuting: boolean;
  /** Whether a run of it waits for a person. */
  readonly isWaiting: boolean;
}

/** All sessions at one moment. */
export interface SessionStats {
  readonly totalSessions: number;
  /** Without the default one. */
  readonly userSessions: number;
  readonly config: SessionConfig;
  readonly sessions: readonly SessionFacts[];
}

/** The values of one session: those of skills under `<skill>/<key>`, those of the host under any other key. */
export interface SessionMemory {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<ReadonlyMap<string, Json>>;
}

/** A map of the caller's own that stands in for the memory of a session; a `Map` is one. */
export interface MemoryMap {
  get(key: string): Json | undefined;
  set(key: string, value: Json): unknown;
  delete(key: string): unknown;
}

/** Where the table of sessions is kept: by id, what is known of each. */
export const sessionsSpace = 'sessions';

/** Where summaries of conversations are kept, by the id of their session. */
export const summariesSpace = 'summaries';

/** Where the values of a session are kept. No two ids share a space: the id is all that follows the slash. */
export function memorySpace(id: string): string {
  return `memory/${id}`;
}

/** Where the turns of a session are kept, in the order of their keys. */
export function turnsSpace(id: string): string {
  return `turns/${id}`;
}
