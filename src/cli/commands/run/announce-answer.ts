import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { RunRequest } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import { oneLine } from '../../output/text.ts';
import { existingStore } from '../../run-store.ts';
import { findAnswered } from '../../running/find-answered.ts';
import { textFlag } from '../../text-flag.ts';

/**
 * Says which question a prompt answers, if one waits in its session; resolves with the place of the last event that the
 * run of that question had before. Refuses what could not be gone on with here.
 */
export async function announceAnswer(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { skill, prompt }: Pick<RunRequest, 'skill' | 'prompt'>,
): Promise<number | undefined> {
  const { flags, own, terminal } = invocation;
  if (skill !== undefined || existingStore(flags) === undefined) return undefined;
  const answered = await findAnswered(agent, invocation, textFlag(own, 'session'), prompt);
  if (answered === undefined) return undefined;
  const { run, question } = answered;
  const [first = ''] = question.text.trim().split('\n');
  if (!flags.quiet) terminal.err(`Answers a question of run ${run.id}: ${oneLine(first)}\n`);
  return run.seq;
}
