import type { ErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { SopStatus } from './sop-event.ts';
import type { SopState, StepValue } from './step-value.ts';

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
