import type { Chat, Said } from './chat.ts';
import { waitingRuns } from './open-question.ts';

/** Ends the run whose question the next line would answer; where there is none, the oldest that waits for a decision. */
export async function dropQuestion(chat: Chat): Promise<Said> {
  const waiting = await waitingRuns(chat);
  const asks = waiting.find(({ questions }) => questions.some(({ kind }) => kind === 'input'));
  const dropped = asks ?? waiting[0];
  if (dropped === undefined)
    return { text: 'Nothing waits in this conversation.\n', document: { ok: true, cancelled: [] } };
  const { runId } = dropped;
  await chat.agent.runs.cancel(runId, 'The question was dropped.');
  return { text: `Dropped, and run ${runId} cancelled.\n`, document: { ok: true, cancelled: [runId] } };
}
