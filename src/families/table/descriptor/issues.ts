import type { Issue, IssueLevel, Section } from '../../../core/index.ts';

/** Adds an issue about a line of a `tskill.md` file. The default level is warning. */
export function report(
  issues: Issue[],
  code: `table.${string}`,
  line: number,
  message: string,
  hint?: string,
  level: IssueLevel = 'warning',
): void {
  issues.push({ level, code, message, line, ...(hint === undefined ? {} : { hint }) });
}

const maxIssues = 100;

/** Returns all errors but only the first few other issues, so that one file cannot fill the entire list. */
export function limitIssues(issues: readonly Issue[]): readonly Issue[] {
  const minor = issues.filter((issue) => issue.level !== 'error');
  const more = minor.length - maxIssues;
  if (more <= 0) return issues;
  const hidden = new Set(minor.slice(maxIssues));
  const shown = issues.filter((issue) => !hidden.has(issue));
  const hint = 'Fix the listed issues, then check again.';
  report(shown, 'table.more', 1, `This file has ${more} more issues.`, hint);
  return shown;
}

/** A line of a section, without Markdown markers. Runs of whitespace become one space. */
export interface PlainLine {
  readonly text: string;
  readonly line: number;
  readonly isHeading: boolean;
  readonly isBullet: boolean;
}

/** Returns a section's non-blank lines. */
export function plainLines(section: Section | undefined): readonly PlainLine[] {
  const lines = section?.text.split('\n') ?? [];
  return lines.flatMap((line, index) => {
    const bare = line.trim().replace(/^(?:#{1,6}|[-*+]|\d+[.)])\s+/, '');
    const text = bare
      .replace(/\*\*|`/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    if (text === '') return [];
    const isHeading = /^\s*#{1,6}\s/.test(line);
    const isBullet = /^\s*(?:[-*+]|\d+[.)])\s/.test(line);
    return [{ text, line: (section?.textLine ?? 1) + index, isHeading, isBullet }];
  });
}
