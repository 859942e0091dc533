import type { Issue, IssueLevel } from '../../../core/index.ts';

/** Creates an issue for a line of a `tskill.md` file. The default level is warning. */
export function createIssue(
  code: `table.${string}`,
  message: string,
  line: number,
  hint?: string,
  level: IssueLevel = 'warning',
): Issue {
  return { level, code, message, line, ...(hint === undefined ? {} : { hint }) };
}

const maxIssues = 100;

/** Returns all errors but only the first few other issues, so that one file cannot fill the entire list. */
export function limitIssues(issues: readonly Issue[]): readonly Issue[] {
  const minor = issues.filter((issue) => issue.level !== 'error');
  const more = minor.length - maxIssues;
  if (more <= 0) return issues;
  const shown = new Set(minor.slice(0, maxIssues));
  return [
    ...issues.filter((issue) => issue.level === 'error' || shown.has(issue)),
    createIssue(
      'table.more',
      `This file has ${more} more issues.`,
      1,
      'Fix the listed issues, then check again.',
    ),
  ];
}
