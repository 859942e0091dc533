import type { Issue, IssueLevel } from '../../../core/index.ts';

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

const mostFindings = 100;

/** All errors and the first of the other findings, so that a file of faults does not flood a listing. */
export function firstFindings(issues: readonly Issue[]): readonly Issue[] {
  const minor = issues.filter((issue) => issue.level !== 'error');
  const more = minor.length - mostFindings;
  if (more <= 0) return issues;
  const kept = new Set(minor.slice(0, mostFindings));
  return [
    ...issues.filter((issue) => issue.level === 'error' || kept.has(issue)),
    finding(
      'table.more',
      `There are ${more} more findings about this file.`,
      1,
      'Repair the first ones and look again.',
    ),
  ];
}
