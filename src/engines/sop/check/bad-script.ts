import { AgentError } from '../../../core/error.ts';
import type { SopIssue } from '../sop-issue.ts';

/** What is thrown for a script that cannot run: all its errors in the details, the first one in words. */
export function badScript(issues: readonly SopIssue[]): AgentError {
  const errors = issues.filter(({ level }) => level === 'error');
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first === undefined ? '' : ` Line ${first.line}, column ${first.column}: ${first.message}`;
  return new AgentError('usage.bad-input', `The plan cannot run.${where}${rest}`, {
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    details: { issues: issues.map((issue) => ({ ...issue })) },
  });
}
