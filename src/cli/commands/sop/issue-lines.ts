import { pasteable } from '../../output/pasteable.ts';
import { oneLine } from '../../output/text.ts';
import { paint } from '../../output/status.ts';
import type { Terminal } from '../../terminal.ts';
import type { SopIssue } from '../../../engines/sop/issue.ts';

/** What is to be said of places in a file. */
export interface Findings {
  readonly file: string;
  readonly issues: readonly Omit<SopIssue, 'code'>[];
}

/** The findings of a script, each on a line that editors can follow: file, line, column, level, what, and what to do. */
export function issueLines({ file, issues }: Findings, terminal: Terminal): readonly string[] {
  return issues.map(({ line, column, level, message, hint = '' }) => {
    const word = paint(level, level === 'error' ? 'red' : 'yellow', terminal);
    return `${oneLine(file)}:${line}:${column}: ${word}: ${pasteable(oneLine(`${message} ${hint}`), terminal)}`;
  });
}
