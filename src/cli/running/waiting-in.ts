import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { OpenQuestion } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import { pendingOf } from '../../views/pending.ts';

/** A run that waits for words, and the question that they would answer. */
export interface WaitingRun {
  readonly run: RunSummary;
  readonly question: OpenQuestion;
}

const mostRuns = 1_000;

/** What the next prompt of a session answers: the oldest question of its oldest run that waits for words; decisions wait for no words. */
export async function waitingIn(
  agent: RecursiveSkilledAgent,
  session: string,
): Promise<WaitingRun | undefined> {
  const runs = await agent.runs.list({ session, status: ['waiting'], limit: mostRuns });
  for (const run of runs.toReversed()) {
    const open = pendingOf(await agent.runs.events(run.id));
    const question = open.find(({ kind }) => kind === 'input');
    if (question !== undefined) return { run, question };
  }
  return undefined;
}
