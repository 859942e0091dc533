import type { Invocation } from '../../command.ts';
import type { CheckedFile } from './check-script.ts';
import { issueLines } from './issue-lines.ts';

/** Says on stderr what was found in a script; with `--quiet` only what keeps it from running. */
export function sayIssues(checked: CheckedFile, { flags, terminal }: Invocation): void {
  const issues = checked.issues.filter(({ level }) => level === 'error' || !flags.quiet);
  for (const line of issueLines({ ...checked, issues }, terminal)) terminal.err(`${line}\n`);
}
