import type { ModelReport } from '../config/models/report.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CodeReport, Containment, SnippetReport } from '../config/sandbox-report.ts';
import type { ServersReport } from '../config/servers/report.ts';
import type { DatabaseReport } from '../config/storage/open-database.ts';
import type { StoreReport } from '../config/storage/run-store.ts';
import type { Issue, Permissions, SandboxMode } from '../core/index.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import type { Repair } from './repairs.ts';

/** The findings about settings, files and names that reading the skills gave. */
export function checkDiagnostics({ agent }: Examined): CheckResult {
  const issues = agent.skills.diagnostics().filter(({ code }) => code !== 'rule.unmatched'); // those of the rules
  const errors = issues.filter((issue) => issue.level === 'error');
  const warnings = issues.filter((issue) => issue.level === 'warning');
  const found = errors.length + warnings.length;
  return {
    id: 'diagnostics',
    status: errors.length > 0 ? 'fail' : warnings.length > 0 ? 'warn' : 'ok',
    summary:
      found === 0 ? 'no findings' : `${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`,
    details: [...errors, ...warnings].map(describeIssue),
  };
}

/** One finding on one line: where, what, and what to do. */
export function describeIssue(issue: Issue): string {
  const line = issue.line === undefined ? '' : `:${issue.line}`;
  const where = issue.file === undefined ? '' : `${issue.file}${line}: `;
  return `${where}${issue.level}: ${issue.message}${issue.hint === undefined ? '' : ` ${issue.hint}`}`;
}

/** A number with its noun, in the plural unless there is one. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** How a check came out; `fail` makes the doctor exit with an error. */
type CheckStatus = 'ok' | 'warn' | 'fail';

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
