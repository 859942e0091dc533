import type { ModelReport } from '../config/models/report.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CodeReport, Containment, SnippetReport } from '../config/sandbox-report.ts';
import type { ServersReport } from '../config/servers/report.ts';
import type { DatabaseReport } from '../config/storage/open-database.ts';
import type { StoreReport } from '../config/storage/run-store.ts';
import type { Permissions } from '../core/policy.ts';
import type { SandboxMode } from '../core/sandbox.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import type { Repair } from './repair.ts';

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

/** What the doctor looks at. */
export interface Examined {
  /** Ready. */
  readonly agent: RecursiveSkilledAgent;
  readonly models: ModelReport;
  readonly database: DatabaseReport;
  readonly store: StoreReport;
  readonly servers: ServersReport;
  readonly containment: Containment;
  readonly code: CodeReport;
  readonly snippets: SnippetReport;
  readonly book: TrustBook;
  /** What can be put right in our own files; none unless given. */
  readonly repairs?: readonly Repair[];
  readonly settings: { readonly permissions?: Permissions; readonly sandbox?: SandboxMode };
}

/** One look; it never throws. */
export type Check = (examined: Examined) => CheckResult;
