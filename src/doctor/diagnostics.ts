import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Issue } from '../core/issue.ts';
import type { CheckResult } from './check.ts';

/** The findings about files and names that reading the skills gave. */
export function checkDiagnostics(agent: RecursiveSkilledAgent): CheckResult {
  const issues = agent.skills.diagnostics();
  const errors = issues.filter((issue) => issue.level === 'error').length;
  const warnings = issues.filter((issue) => issue.level === 'warning').length;
  return {
    id: 'diagnostics',
    status: errors > 0 ? 'fail' : warnings > 0 ? 'warn' : 'ok',
    summary: errors + warnings === 0 ? 'no findings' : `${errors} errors, ${warnings} warnings`,
    details: issues.filter((issue) => issue.level !== 'info').map((issue) => describeIssue(issue)),
  };
}

/** One finding on one line: where, what, and what to do. */
export function describeIssue(issue: Issue): string {
  const where = issue.file === undefined ? '' : `${issue.file}${issue.line === undefined ? '' : `:${issue.line}`}: `;
  return `${where}${issue.level}: ${issue.message}${issue.hint === undefined ? '' : ` ${issue.hint}`}`;
}
