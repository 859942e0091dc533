import type { ErrorData, Json } from '../../core/index.ts';
import type { CommandCall } from './command.ts';

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

/** What a plan came to. */
export interface SopEnd {
  readonly status: SopStatus;
  /** What `final_answer` was given, or the variable that stands for the answer; absent when there is none. */
  readonly answer?: Json;
  /** Why it did not come to an answer. */
  readonly error?: ErrorData;
  /** What people have to answer, present when it is waiting; the names are those that `answers` takes. */
  readonly questions?: Readonly<Record<string, Json>>;
  /** Every variable of the plan, in its order. */
  readonly variables: Readonly<Record<string, StepValue>>;
  /** For `resumeFrom`. */
  readonly state: SopState;
  readonly counts: SopCounts;
}

/** How much was done, for limits and for whoever looks. */
export interface SopCounts {
  /** Executions of commands. */
  readonly commands: number;
  /** Failed executions, by command. */
  readonly failures: Readonly<Record<string, number>>;
}

/** What happens while a plan runs, in order; `at` is the time of the given clock. */
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
      /** It had happened before and was not done again. */
      readonly isKept?: true;
    }
  | { readonly type: 'plan.ended'; readonly status: SopStatus }
);

/** How a plan ended. */
export type SopStatus = 'done' | 'failed' | 'canceled' | 'waiting' | 'cannot-complete';

/** What a variable is bound to. Whatever is not success says where it began. */
export type StepValue =
  | { readonly status: 'success'; readonly value: Json }
  | { readonly status: 'fail'; readonly error: ErrorData; readonly origin: string }
  /** It never ran, came to nothing, or waits for somebody's answer. */
  | {
      readonly status: 'undefined';
      readonly reason: string;
      readonly origin: string;
      readonly question?: Json;
    }
  | { readonly status: 'canceled'; readonly reason: string; readonly origin: string };

/** What an execution came to, kept so that it never happens again. */
export interface StepRecord {
  readonly variable: string;
  /** Of the item, where it ran for each of a list. */
  readonly index?: number;
  /** Its own name, whatever the script calls it. */
  readonly command: string;
  /** Hash of the input. */
  readonly input: string;
  readonly value: StepValue;
}

/** All that is needed to go on with a plan elsewhere; plain JSON. */
export interface SopState {
  /** Hash of the script that ran last: what failed in it is not tried again by the same script. */
  readonly plan?: string;
  readonly records: readonly StepRecord[];
}
