import type { Invocation } from '../../command.ts';
import { issueLines, type Findings } from './issue-lines.ts';

/** Says on stderr what was found in a script; with `--quiet` only what keeps it from running. */
export function sayIssues({ file, issues }: Findings, { flags, terminal }: Invocation): void {
  const said = issues.filter(({ level }) => level === 'error' || !flags.quiet);
  for (const line of issueLines({ file, issues: said }, terminal)) terminal.err(`${line}\n`);
}
