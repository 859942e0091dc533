import type { ModelReport } from '../config/models/report.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CodeReport, SandboxSupport, SnippetReport } from '../config/sandbox-report.ts';
import type { ServersReport } from '../config/servers/report.ts';
import type { DatabaseReport } from '../config/storage/open-database.ts';
import type { StoreReport } from '../config/storage/run-store.ts';
import { counted, type Issue, type Permissions, type SandboxMode } from '../core/index.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import type { Repair } from './repairs.ts';

/** Reports the issues that were found while loading skills, such as those with settings, files and names. */
export function checkDiagnostics({ agent }: Examined): CheckResult {
  // Rules that match nothing are reported by a separate check.
  const issues = agent.skills.diagnostics().filter(({ code }) => code !== 'rule.unmatched');
  const errors = issues.filter((issue) => issue.level === 'error');
  const warnings = issues.filter((issue) => issue.level === 'warning');
  const found = errors.length + warnings.length;
  return {
    id: 'diagnostics',
    status: errors.length > 0 ? 'fail' : warnings.length > 0 ? 'warn' : 'ok',
    summary:
      found === 0
        ? 'no issues'
        : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`,
    details: [...errors, ...warnings].map(describeIssue),
  };
}

/** Formats an issue on one line with its location, its message and its hint. */
export function describeIssue(issue: Issue): string {
  const line = issue.line === undefined ? '' : `:${issue.line}`;
  const where = issue.file === undefined ? '' : `${issue.file}${line}: `;
  return `${where}${issue.level}: ${issue.message}${issue.hint === undefined ? '' : ` ${issue.hint}`}`;
}

/** The outcome of a check. `fail` makes the doctor exit with an error. */
type CheckStatus = 'ok' | 'warn' | 'fail';

/** The result of one check: a line of the doctor's report and its details. */
export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  readonly summary: string;
  readonly details: readonly string[];
  readonly hint?: string;
}

/** The input to the doctor's checks. */
export interface Examined {
  /** The agent, already started. */
  readonly agent: RecursiveSkilledAgent;
  readonly models: ModelReport;
  readonly database: DatabaseReport;
  readonly store: StoreReport;
  readonly servers: ServersReport;
  readonly sandboxSupport: SandboxSupport;
  readonly code: CodeReport;
  readonly snippets: SnippetReport;
  readonly book: TrustBook;
  /** The repairs that can be made to the package's own files. Defaults to none. */
  readonly repairs?: readonly Repair[];
  readonly settings: { readonly permissions?: Permissions; readonly sandbox?: SandboxMode };
}

/** A check of the doctor. Never throws. */
export type Check = (examined: Examined) => CheckResult;
