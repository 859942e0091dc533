import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { RunRequest } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import { oneLine } from '../../output/text.ts';
import { existingStore } from '../../run-store.ts';
import { missingModel } from '../../running/missing-model.ts';
import { mustKnowSkill } from '../../running/must-know-skill.ts';
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
  const session = textFlag(own, 'session');
  if (skill !== undefined || existingStore(flags) === undefined) return undefined;
  const waiting = await agent.runs.waitingIn(session, prompt);
  if (waiting === undefined) return undefined;
  const run = await agent.runs.find(waiting.runId);
  mustKnowSkill(agent, invocation, run);
  const missing = await missingModel(invocation, await agent.runs.events(run.id), false);
  if (missing !== undefined) throw missing;
  if (!flags.quiet) terminal.err(`Answers a question of run ${run.id}: ${oneLine(waiting.question.text)}\n`);
  return run.seq;
}
