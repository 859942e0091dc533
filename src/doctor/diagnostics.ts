import type { Issue } from '../core/issue.ts';
import type { CheckResult, Examined } from './check.ts';
import { count } from './count.ts';

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
