import type { Issue, IssueLevel } from '../../core/issue.ts';

/** A finding about a line of a tskill.md; a warning unless said. */
export function finding(
  code: `table.${string}`,
  message: string,
  line: number,
  hint?: string,
  level: IssueLevel = 'warning',
): Issue {
  return { level, code, message, line, ...(hint === undefined ? {} : { hint }) };
}
