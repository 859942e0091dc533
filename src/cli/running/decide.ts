import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { toErrorData } from '../../core/error.ts';
import type { Approval } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import type { Invocation } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { questionLines } from './question-text.ts';

/** A decision about one call. */
export interface Verdict {
  readonly runId: string;
  readonly question: OpenQuestion;
  readonly approval: Approval;
}

/** Decides one question and says so; rejects when it cannot be decided any more. */
export async function decide(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  { runId, question, approval }: Verdict,
): Promise<void> {
  await agent.runs.approve(runId, question.id, approval);
  const word = 'deny' in approval ? 'denied' : words[approval.allow];
  if (!flags.quiet) terminal.err(`${word}: ${questionLines(question, terminal).join('\n')}\n`);
}

const words = {
  once: 'allowed once',
  run: 'allowed for this run',
  version: 'allowed for this version',
} as const;

/** Like `decide`, but false when it cannot be decided any more; why is said unless somebody else was quicker. Never rejects. */
export async function tryToDecide(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  verdict: Verdict,
): Promise<boolean> {
  try {
    await decide(agent, invocation, verdict);
    return true;
  } catch (thrown) {
    const { code, message } = toErrorData(thrown);
    const isDecided = code === 'usage.not-found' || code === 'usage.bad-input';
    const { flags, terminal } = invocation;
    if (!isDecided && !flags.quiet) terminal.err(`not decided: ${oneLine(message)}\n`);
    return false;
  }
}
