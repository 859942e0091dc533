import type { Json } from '../../core/json.ts';
import type { StepValue } from './step-value.ts';

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
