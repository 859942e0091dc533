import type { NewEvent, RunEvent } from './event.ts';
import type { Json } from './json.ts';
import type { RunStatus } from './run.ts';

/**
 * An opaque, unique token that grants the right to write to a run. The last process to claim the run holds
 * it.
 */
export type Epoch = string;

/** A stored value that is not part of a run. */
export interface StoreEntry {
  readonly space: string;
  readonly key: string;
  /** The value to store, or undefined to delete the entry. */
  readonly value: Json | undefined;
  /**
   * The value that the writer last read, or undefined if there was none. Without `expected`, any value is
   * replaced.
   */
  readonly expected?: { readonly value: Json | undefined };
}

/** A run's metadata, available without reading its events. */
export interface RunSummary {
  readonly id: string;
  /** The name of the chosen skill. Empty if no skill has been chosen yet or if no skill fits. */
  readonly skill: string;
  /** The session id. Empty until the run has begun. */
  readonly session: string;
  /** The beginning of the run's prompt or input, for listings. */
  readonly title: string;
  readonly status: RunStatus;
  /** The skill that the run prepares. Absent for runs with any other purpose. */
  readonly prepares?: string;
  /** The pseudonymous value that identifies the user. Absent without a user, and in logs of earlier releases. */
  readonly user?: string;
  /** The number of events in the run. */
  readonly seq: number;
  readonly epoch: Epoch;
  /** The process that last claimed the run. */
  readonly owner: string;
  /** The start time. All times are in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The time of the owner's last heartbeat, or 0 once the owner has released the run. */
  readonly beatAt: number;
}

/**
 * The claim and length of a run's log, as last read. A claim based on this data fails if the run has changed
 * since.
 */
export type Held = Pick<RunSummary, 'epoch' | 'seq'>;

/** A filter for runs. A run must match every field that is set. */
export interface RunQuery {
  readonly ids?: readonly string[];
  /** The prefix that a run id must have. */
  readonly idPrefix?: string;
  readonly status?: readonly RunStatus[];
  readonly session?: string;
  /** The user, in the pseudonymous form of `RunSummary.user`. */
  readonly user?: string;
  /** Only runs that come after this run in the list, which is sorted newest first. */
  readonly after?: Pick<RunSummary, 'startedAt' | 'id'>;
  /** Whether to include runs that prepare skills. */
  readonly preparations?: boolean;
  /** The maximum number of runs, newest first. Default: 100. */
  readonly limit?: number;
}

/** The time without a heartbeat after which a run's owner is considered gone, in milliseconds. */
export const silentAfter = 10_000;

/** A store for runs and values. All implementations behave identically for callers. */
export interface Store {
  /**
   * Claims the right to write to a run, creating the run if it does not exist. The previous holder loses the
   * right. With `held`, the claim succeeds only if that epoch is current and the log ends at that position.
   * Otherwise, it rejects with `internal.claim-lost`, because another process has claimed the run or written
   * to it in the meantime.
   */
  claim(runId: string, owner: string, held?: Held): Promise<Epoch>;
  /**
   * Appends events and stores values, all or nothing. Resolves with the position of the last event. If the
   * epoch is no longer current, rejects with `internal.claim-lost` without writing anything. If an entry's
   * value is no longer the expected one, rejects with `skill.conflict` without writing anything.
   */
  append(
    runId: string,
    epoch: Epoch,
    events: readonly NewEvent[],
    entries?: readonly StoreEntry[],
  ): Promise<number>;
  /** Sends a heartbeat for the given runs. Resolves with the ids of the runs whose claim was lost. */
  beat(claims: ReadonlyMap<string, Epoch>): Promise<ReadonlySet<string>>;
  /**
   * Releases the given claims, so that they no longer allow writing. A run in progress becomes `interrupted`
   * immediately. A run that another process has claimed in the meantime is not affected.
   */
  release(claims: ReadonlyMap<string, Epoch>): Promise<void>;
  /** Yields a run's events in order from the given position. Yields nothing if the run does not exist. */
  read(runId: string, fromSeq?: number): AsyncIterable<RunEvent>;
  /** Returns the matching runs, newest first. */
  runs(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Deletes runs with all their events. Resolves with the number of deleted runs. */
  remove(runIds: readonly string[]): Promise<number>;
  /**
   * Deletes expired values and all completed runs whose last write was before the given time. Resolves with
   * the number of deleted runs.
   */
  expire(before: number): Promise<number>;
  get(space: string, key: string): Promise<Json | undefined>;
  set(space: string, key: string, value: Json, ttlMs?: number): Promise<void>;
  /** Sets a value if the key has none yet. Resolves to true if the value was set. */
  add(space: string, key: string, value: Json, ttlMs?: number): Promise<boolean>;
  /**
   * Replaces a value if it is still the expected one; undefined means no value. Resolves to true if the value
   * was replaced. Atomic across all processes that share the store. The new value expires after `ttlMs`, or
   * never.
   */
  swap(
    space: string,
    key: string,
    expected: Json | undefined,
    value: Json | undefined,
    ttlMs?: number,
  ): Promise<boolean>;
  delete(space: string, key: string): Promise<void>;
  /** Deletes every value in a space. */
  clear(space: string): Promise<void>;
  /** Returns the values in a space, keyed by name and sorted by code units. */
  entries(space: string): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}
