import type { ErrorData, Json } from '../../core/index.ts';
import type { CommandCall } from './command.ts';

/** Options for running a plan. */
export interface SopOptions {
  /** The value of `$input`. */
  readonly input?: Json;
  /** Cancels the plan: steps that have not started are canceled, and running ones are aborted. */
  readonly signal?: AbortSignal;
  /** The maximum number of commands that run at the same time. Default 8. */
  readonly concurrency?: number;
  /** The state of an earlier run, whose results are reused. */
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

/** Limits for a plan. If a limit is exceeded, the plan ends with a `limit.*` error. */
export interface SopLimits {
  /** The maximum number of command executions. Default 100. */
  readonly commands: number;
  /** The maximum number of failed executions of any one command. Default 10. */
  readonly failures: number;
  /** The time limit in milliseconds. Default: no limit. */
  readonly timeMs: number;
}

/** Observes executions. If the monitor throws an error, the plan ends. */
export interface SopMonitor {
  before?(call: CommandCall, counts: SopCounts): void | Promise<void>;
  after?(call: CommandCall, value: StepValue, counts: SopCounts): void | Promise<void>;
}

/** A source of time. */
export interface Clock {
  /** The current time in milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds or as soon as the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The result of a plan. */
export interface SopEnd {
  readonly status: SopStatus;
  /**
   * The plan's answer: the input of `final_answer`, or the value of the answer variable. Absent if there is
   * no answer.
   */
  readonly answer?: Json;
  /** The reason why the plan failed or ended early. */
  readonly error?: ErrorData;
  /** The questions that a waiting plan asks users, keyed by the names that `answers` accepts. */
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

/** An event of a plan. Events are reported in order. `at` is the time according to the plan's clock. */
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
      /** Set if an earlier result was reused, so the step did not run again. */
      readonly isReused?: true;
    }
  | { readonly type: 'plan.ended'; readonly status: SopStatus }
);

/** The status of a plan after a run. */
export type SopStatus = 'done' | 'failed' | 'canceled' | 'waiting' | 'cannot-complete';

/** A variable's value. If the status is not success, `origin` names the variable that caused the status. */
export type StepValue =
  | { readonly status: 'success'; readonly value: Json }
  | { readonly status: 'fail'; readonly error: ErrorData; readonly origin: string }
  /** It never ran, has no result, or waits for a person's answer. */
  | {
      readonly status: 'undefined';
      readonly reason: string;
      readonly origin: string;
      readonly question?: Json;
    }
  | { readonly status: 'canceled'; readonly reason: string; readonly origin: string };

/** The recorded result of an execution, kept for reuse. */
export interface StepRecord {
  readonly variable: string;
  /** The item's index, if the step ran for each item of a list. */
  readonly index?: number;
  /** The command's own name, even if the script uses a different name for it. */
  readonly command: string;
  /** The hash of the input. */
  readonly input: string;
  readonly value: StepValue;
}

/** Everything needed to continue a plan in another process, as plain JSON. */
export interface SopState {
  /** The hash of the last script that ran. Running the same script again does not retry its failures. */
  readonly plan?: string;
  readonly records: readonly StepRecord[];
}
