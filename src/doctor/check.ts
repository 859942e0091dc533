import type { RecursiveSkilledAgent } from '../config/preset.ts';

/** How a check came out; `fail` makes the doctor exit with an error. */
export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One line of the doctor's report, with the details under it. */
export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  readonly summary: string;
  readonly details: readonly string[];
  readonly hint?: string;
}

/** A check looks at an agent that is ready and never throws. */
export type Check = (agent: RecursiveSkilledAgent) => CheckResult;
