import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Issue } from '../core/issue.ts';
import { describeIssue } from '../doctor/report.ts';
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

/** Says on stderr which rules that deny or ask mean nothing that is registered: misspelt, they protect from nothing. */
export function sayUnmatchedRules(
  agent: Pick<RecursiveSkilledAgent, 'skills'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  const unmatched = agent.skills.diagnostics().filter(({ code }) => code === 'rule.unmatched');
  sayFindings(unmatched, invocation);
}
