import type { WaitingQuestion } from '../../../agent/runs/pending.ts';
import type { RunSummary } from '../../../core/store.ts';
import type { Chat } from './chat.ts';

const mostRuns = 100;

/** The runs of a conversation that wait for a person, the oldest first. */
export async function waitingRuns({ agent, session, lastRun }: Chat): Promise<readonly RunSummary[]> {
  if (lastRun === undefined) return []; // and perhaps nothing was ever kept
  return (await agent.runs.list({ session, status: ['waiting'], limit: mostRuns })).toReversed();
}

/** The question that the next line answers. */
export async function openQuestion({ agent, session, lastRun }: Chat): Promise<WaitingQuestion | undefined> {
  return lastRun === undefined ? undefined : agent.runs.waitingIn(session);
}
