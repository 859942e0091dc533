import type { NewEvent, RunEvent } from './event.ts';
import type { Json } from './json.ts';
import type { RunStatus } from './run.ts';

/** The right to write to a run, held by whoever claimed it last; opaque, and never given out twice. */
export type Epoch = string;

/** A value outside of any run. */
export interface Entry {
  readonly space: string;
  readonly key: string;
  /** Undefined takes the entry away. */
  readonly value: Json | undefined;
}

/** What is known of a run without reading its events. */
export interface RunSummary {
  readonly id: string;
  /** Empty until one is chosen, and when none fits. */
  readonly skill: string;
  /** Empty until the run has begun. */
  readonly session: string;
  /** The beginning of its prompt or input, for listings. */
  readonly title: string;
  readonly status: RunStatus;
  /** The skill that it prepares, when that is what it is for. */
  readonly prepares?: string;
  /** How many events it has. */
  readonly seq: number;
  readonly epoch: Epoch;
  /** Who claimed it last. */
  readonly owner: string;
  /** Milliseconds since 1970, like the others. */
  readonly startedAt: number;
  readonly updatedAt: number;
  /** When its owner last said that it works on it; 0 once it let go of it. */
  readonly beatAt: number;
}

/** How far somebody came with a run: a later claim or a later event is not theirs to take. */
export type Held = Pick<RunSummary, 'epoch' | 'seq'>;

/** Which runs are meant; all of its members must hold. */
export interface RunQuery {
  readonly ids?: readonly string[];
  /** Ids that start with this. */
  readonly idPrefix?: string;
  readonly status?: readonly RunStatus[];
  readonly session?: string;
  /** Also those that prepare skills. */
  readonly preparations?: boolean;
  /** The newest ones; 100 unless given. */
  readonly limit?: number;
}

/** An owner that was silent for so long is taken to be gone. */
export const silentAfter = 10_000; // milliseconds

/** Where runs and values are kept. Implementations differ in nothing that their callers can see. */
export interface Store {
  /**
   * Takes the right to write to a run, which is made if there is none; whoever held it before has lost it. With `held`
   * it is taken only while that epoch holds and its log ends at that place: rejects with `internal.overtaken` when
   * somebody claimed it or wrote to it meanwhile.
   */
  claim(runId: string, owner: string, held?: Held): Promise<Epoch>;
  /**
   * Adds events, and values with them, all or nothing; resolves with the place of the last one.
   * Rejects with `internal.overtaken`, having written nothing, when the epoch does not hold any more.
   */
  append(
    runId: string,
    epoch: Epoch,
    events: readonly NewEvent[],
    entries?: readonly Entry[],
  ): Promise<number>;
  /** Says that these runs are worked on; resolves with those whose claim is lost. */
  beat(claims: ReadonlyMap<string, Epoch>): Promise<ReadonlySet<string>>;
  /**
   * Gives these claims back: nobody can write with them any more, and a run that was going on is `interrupted` at once.
   * A run that somebody else has claimed meanwhile is left alone.
   */
  release(claims: ReadonlyMap<string, Epoch>): Promise<void>;
  /** The events of a run in order, from this place on; nothing for a run that does not exist. */
  read(runId: string, fromSeq?: number): AsyncIterable<RunEvent>;
  /** Newest first. */
  runs(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Forgets runs with all their events; resolves with how many there were. */
  remove(runIds: readonly string[]): Promise<number>;
  /** Forgets ended runs that were last written before this moment, and values whose time is over; resolves with how many runs. */
  expire(before: number): Promise<number>;
  get(space: string, key: string): Promise<Json | undefined>;
  set(space: string, key: string, value: Json, ttlMs?: number): Promise<void>;
  /** Sets a value where there is none; tells whether it did. */
  add(space: string, key: string, value: Json, ttlMs?: number): Promise<boolean>;
  delete(space: string, key: string): Promise<void>;
  /** Takes away every value of a space. */
  clear(space: string): Promise<void>;
  /** The values of a space by key, in code units. */
  entries(space: string): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}
