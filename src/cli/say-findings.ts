import type { Issue } from '../core/issue.ts';
import { describeIssue } from '../doctor/diagnostics.ts';
import type { Invocation } from './command.ts';
import { pasteable } from './output/pasteable.ts';
import { oneLine } from './output/text.ts';

/** Says on stderr what is wrong with settings, a line for each finding; nothing with `--quiet`. */
export function sayFindings(
  issues: readonly Issue[],
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  if (flags.quiet) return;
  for (const issue of issues) terminal.err(`${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
}
