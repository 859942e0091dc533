import type { Containment } from '../config/containment.ts';
import type { ModelReport } from '../config/model-report.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Permissions } from '../core/policy.ts';
import type { TrustBook } from '../policy/trust-book.ts';

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

/** A check looks at an agent that is ready, and at what is known about models, about this machine, about trust and about rules; it never throws. */
export type Check = (
  agent: RecursiveSkilledAgent,
  models: ModelReport,
  found: Containment,
  book: TrustBook,
  permissions: Permissions,
) => CheckResult;
