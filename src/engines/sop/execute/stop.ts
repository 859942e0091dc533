import type { ErrorData } from '../../../core/error.ts';
import type { StepValue } from '../step-value.ts';

/** Why a plan ends before its steps do. */
export type Stop =
  | { readonly status: 'canceled'; readonly reason: string }
  /** `origin` is the step that gave up. */
  | { readonly status: 'cannot-complete'; readonly reason: string; readonly origin: string }
  | { readonly status: 'failed'; readonly error: ErrorData };

/** What became of a step that did not come to its end. */
export function stoppedValue(variable: string, stop: Stop): StepValue {
  const origin = stop.status === 'cannot-complete' ? stop.origin : variable;
  return { status: 'canceled', reason: stop.status === 'failed' ? stop.error.message : stop.reason, origin };
}

/** The error of a plan that was stopped. */
export function errorOf(stop: Stop): ErrorData {
  if (stop.status === 'failed') return stop.error;
  return { code: stop.status === 'canceled' ? 'usage.cancelled' : 'skill.no-result', message: stop.reason };
}

/** What was said by whoever called the plan off. */
export function reasonIn({ reason }: AbortSignal): string {
  return typeof reason === 'string' && reason !== '' ? reason : 'The plan was called off.';
}
