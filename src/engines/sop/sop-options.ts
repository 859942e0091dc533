import type { Json } from '../../core/json.ts';
import type { CommandCall } from './command.ts';
import type { SopCounts } from './sop-end.ts';
import type { SopEvent } from './sop-event.ts';
import type { SopState, StepValue } from './step-value.ts';

/** How a plan is run. */
export interface SopOptions {
  /** The value of `$input`. */
  readonly input?: Json;
  /** Calls it off: what has not begun is canceled, what runs is aborted. */
  readonly signal?: AbortSignal;
  /** Commands that run at the same time, at most. Default 8. */
  readonly concurrency?: number;
  /** What earlier executions came to. */
  readonly resumeFrom?: SopState;
  /** What people answered to the questions of an earlier run, by variable; of an item, `variable.index`. */
  readonly answers?: Readonly<Record<string, Json>>;
  /** Does again what failed, although nothing changed. */
  readonly retriesFailed?: boolean;
  onEvent?(event: SopEvent): void;
  readonly limits?: Partial<SopLimits>;
  readonly monitor?: SopMonitor;
  readonly clock?: Clock;
}

/** How far a plan may go; what exceeds one ends it with a `limit.*` error. */
export interface SopLimits {
  /** Executions of commands. Default 100. */
  readonly commands: number;
  /** Failed executions of one command. Default 10. */
  readonly failures: number;
  /** Milliseconds; without a limit unless given. */
  readonly timeMs: number;
}

/** Watches executions; what it throws ends the plan with that error. */
export interface SopMonitor {
  before?(call: CommandCall, counts: SopCounts): void | Promise<void>;
  after?(call: CommandCall, value: StepValue, counts: SopCounts): void | Promise<void>;
}

/** Where time comes from. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
