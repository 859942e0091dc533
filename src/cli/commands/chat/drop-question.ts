import type { Chat, Said } from './chat.ts';
import { openQuestion, waitingRuns } from './open-question.ts';

/** Ends the run whose question the next line would answer; where there is none, the oldest that waits for a decision. */
export async function dropQuestion(chat: Chat): Promise<Said> {
  const runId = (await openQuestion(chat))?.runId ?? (await waitingRuns(chat))[0]?.id;
  if (runId === undefined)
    return { text: 'Nothing waits in this conversation.\n', document: { ok: true, cancelled: [] } };
  await chat.agent.runs.cancel(runId, 'The question was dropped.');
  return { text: `Dropped, and run ${runId} cancelled.\n`, document: { ok: true, cancelled: [runId] } };
}
