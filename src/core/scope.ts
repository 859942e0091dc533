import type { CatalogQuery, ShownCatalog } from './shown-catalog.ts';
import type { Json } from './json.ts';
import type { Memory } from './memory.ts';
import type { Model, Tier } from './model.ts';
import type { Output } from './output.ts';
import type { Question } from './question.ts';
import type { RunLimits } from './run.ts';
import type { Sandbox } from './sandbox.ts';
import type { Skill } from './skill.ts';

/** How a call differs from an ordinary one. */
export interface CallOptions {
  /** Tells it from the caller's other calls; skill, input and occurrence unless given. */
  readonly key?: string;
  /** Only what is tighter than the caller's own counts. */
  readonly limits?: Partial<RunLimits>;
}

/** A skill as a search shows it. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
}

/** How long something that was opened is kept. */
export type Lifetime = 'run' | 'session' | 'agent';

/**
 * All that a running skill may touch. What it learns from here survives a crash: after one, the skill runs again
 * from its start and gets the same answers without their effects happening again.
 */
export interface Scope {
  readonly skill: Skill;
  readonly runId: string;
  readonly frameId: string;
  /** 1 for the first frame of a run. */
  readonly depth: number;
  readonly session: string;
  /** Aborted when the run or this call has to stop, with the reason. */
  readonly signal: AbortSignal;
  /** The same whenever this call is tried again, and never that of another one. */
  readonly idempotencyKey: string;
  /** The skills that it may call. */
  readonly callable: readonly Skill[];
  /** The skills that its caller may call: what a catalog in front of it lists. */
  readonly listed: readonly Skill[];
  /** The folder that files are read from and written to, absolute; undefined when the run has none. */
  readonly workspace: string | undefined;
  /** Names and descriptions of the listed skills that fit a request best. */
  find(request: string, limit: number): Promise<readonly FoundSkill[]>;
  /** What a model is shown of them. */
  catalog(query?: CatalogQuery): Promise<ShownCatalog>;
  /**
   * The only journalled primitive: does something once and gives its value, now and after a crash.
   * One that was begun but did not end is done again with the same idempotency key. A key names one effect of the
   * frame; `request` says what exactly it is, and the same key with another request is `internal.diverged`.
   */
  step<Value extends Json>(
    key: string,
    effect: (idempotencyKey: string) => Promise<Value> | Value,
    request?: Json,
  ): Promise<Value>;
  /** The only recursion: calls a skill one frame deeper. Its failure is data. */
  call(name: string, input: Json, options?: CallOptions): Promise<Output>;
  /** The model of a tier, metered and journalled. */
  model(tier: Tier): Model;
  /** Opened when first asked for, closed with the frame. */
  sandbox(): Promise<Sandbox>;
  /** Something that outlives the frame, opened once per skill and key; it is closed by its `close` or async dispose. */
  keep<Kept>(key: string, lifetime: Lifetime, open: () => Promise<Kept>): Promise<Kept>;
  /** Values of the session, apart for each skill. */
  readonly memory: Memory;
  /** Asks a person; pending until somebody answers, even if that takes a restart. */
  ask(question: Question | string): Promise<Json>;
  /** Milliseconds since 1970. */
  now(): Promise<number>;
  /** From 0 up to 1. */
  random(): Promise<number>;
  /** A line for whoever watches. */
  note(message: string, data?: Json): void;
}
