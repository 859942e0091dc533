import type { ErrorData, Json } from '../../core/index.ts';
import type { CommandCall } from './command.ts';

/** Options for running a plan. */
export interface SopOptions {
  /** The value of `$input` in the plan. */
  readonly input?: Json;
  /**
   * Cancels the plan when aborted. Steps that have not started are canceled, and running steps are aborted.
   */
  readonly signal?: AbortSignal;
  /** The maximum number of commands that run at the same time. Default 8. */
  readonly concurrency?: number;
  /** The state of an earlier run. Its results are reused. */
  readonly resumeFrom?: SopState;
  /** Answers to the questions of an earlier run, keyed by variable, or by `variable.index` for an item. */
  readonly answers?: Readonly<Record<string, Json>>;
  /** Whether to retry failed steps even if the script has not changed. */
  readonly retriesFailed?: boolean;
  onEvent?(event: SopEvent): void;
  readonly limits?: Partial<SopLimits>;
  readonly monitor?: SopMonitor;
  readonly clock?: Clock;
}

/** The limits of a plan. The plan ends with a `limit.*` error if it exceeds one. */
export interface SopLimits {
  /** The maximum number of command executions. Default: 100. */
  readonly commands: number;
  /** The maximum number of failed executions of the same command. Default: 10. */
  readonly failures: number;
  /** The time limit in milliseconds. Default: no limit. */
  readonly timeMs: number;
}

/**
 * Functions that are called before and after each execution of a command. If one of them throws, the plan
 * ends.
 */
export interface SopMonitor {
  before?(call: CommandCall, counts: SopCounts): void | Promise<void>;
  after?(call: CommandCall, value: StepValue, counts: SopCounts): void | Promise<void>;
}

/** A source of time. */
export interface Clock {
  /** Returns the current time in milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds or as soon as the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The result of a plan. */
export interface SopEnd {
  readonly status: SopStatus;
  /**
   * The answer: the input of `final_answer`, or the value of the answer variable. Absent if there is none.
   */
  readonly answer?: Json;
  /** The error that made the plan fail or end early. */
  readonly error?: ErrorData;
  /** The questions to the user, keyed by the names that `answers` uses. */
  readonly questions?: Readonly<Record<string, Json>>;
  /** All of the plan's variables, in order. */
  readonly variables: Readonly<Record<string, StepValue>>;
  /** The state to pass to `resumeFrom`. */
  readonly state: SopState;
  readonly counts: SopCounts;
}

/** Execution counts, for limits and for display. */
export interface SopCounts {
  /** The number of command executions. */
  readonly commands: number;
  /** The number of failed executions, keyed by command. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * An event of a plan. Events are reported in order. `at` is the time on the plan's clock, in milliseconds.
 */
export type SopEvent = { readonly at: number } & (
  | { readonly type: 'plan.started'; readonly script: string }
  | {
      readonly type: 'step.started';
      readonly variable: string;
      readonly index?: number;
      readonly command: string;
      readonly input: Json;
      readonly comment?: string;
    }
  | {
      readonly type: 'step.ended';
      readonly variable: string;
      readonly index?: number;
      readonly command: string;
      readonly value: StepValue;
      /** Set if the value comes from an earlier run, in which case the step did not run again. */
      readonly isReused?: true;
    }
  | { readonly type: 'plan.ended'; readonly status: SopStatus }
);

/** The status of a plan after a run. */
export type SopStatus = 'done' | 'failed' | 'canceled' | 'waiting' | 'cannot-complete';

/** The value of a variable. If the step did not succeed, `origin` names the variable that caused this. */
export type StepValue =
  | { readonly status: 'success'; readonly value: Json }
  | { readonly status: 'fail'; readonly error: ErrorData; readonly origin: string }
  /** The step never ran, has no result, or is waiting for a person's answer. */
  | {
      readonly status: 'undefined';
      readonly reason: string;
      readonly origin: string;
      readonly question?: Json;
    }
  | { readonly status: 'canceled'; readonly reason: string; readonly origin: string };

/** The result of an execution, which can be reused. */
export interface StepRecord {
  readonly variable: string;
  /** The item's index, if the step ran for each item of a list. */
  readonly index?: number;
  /** The command's own name, even if the script uses another name for the command. */
  readonly command: string;
  /** The hash of the input. */
  readonly input: string;
  readonly value: StepValue;
}

/** The state from which another process can continue a plan. Contains only JSON values. */
export interface SopState {
  /** The hash of the last script. If the same script runs again, its failed steps are not retried. */
  readonly plan?: string;
  readonly records: readonly StepRecord[];
}
