import type { OpenQuestion } from '../../../core/run.ts';
import { pendingOf } from '../../../views/pending.ts';
import type { Chat } from './chat.ts';

/** A run of the conversation that waits, and what for. */
export interface Waiting {
  readonly runId: string;
  readonly questions: readonly OpenQuestion[];
}

const mostRuns = 100;

/** The runs of a conversation that wait for a person, the oldest first. */
export async function waitingRuns({ agent, session, lastRun }: Chat): Promise<readonly Waiting[]> {
  if (lastRun === undefined) return []; // and perhaps nothing was ever kept
  const runs = await agent.runs.list({ session, status: ['waiting'], limit: mostRuns });
  return Promise.all(
    runs.toReversed().map(async ({ id: runId }) => {
      return { runId, questions: pendingOf(await agent.runs.events(runId)) };
    }),
  );
}

/** The question that the next line answers: the oldest that asks for words and not for a decision. */
export async function openQuestion(chat: Chat): Promise<OpenQuestion | undefined> {
  const waiting = await waitingRuns(chat);
  return waiting.flatMap(({ questions }) => questions).find(({ kind }) => kind === 'input');
}
