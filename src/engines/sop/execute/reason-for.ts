import type { StepValue } from '../step-value.ts';

/** A value that is not success. */
export type BadValue = Exclude<StepValue, { readonly status: 'success' }>;

/** Why a step does not run that depends on a variable with this value; what began further up is told as it was there. */
export function reasonFor(variable: string, value: BadValue): string {
  if (value.status === 'fail') return `waits for ${variable}, which failed: ${value.error.message}`;
  if (value.status === 'canceled' || value.origin !== variable) return value.reason;
  return `waits for ${variable}: ${value.reason}`;
}
