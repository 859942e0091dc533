import type { StepValue } from '../step-value.ts';

/** Whether a step has asked something that nobody has answered yet. */
export function isAsking(value: StepValue | undefined): boolean {
  return value?.status === 'undefined' && value.question !== undefined;
}
