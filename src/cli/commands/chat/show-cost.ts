import { count } from '../../../doctor/report.ts';
import { foldRun } from '../../../views/run-tree.ts';
import { usedText } from './bill.ts';
import type { Chat, Said } from './chat.ts';
import { mustHaveRun } from './show-run.ts';

/** What the last run used, and all runs of the conversation together. */
export async function showCost(chat: Chat): Promise<Said> {
  const { agent, session, bill } = chat;
  const last = foldRun(await agent.runs.events(mustHaveRun(chat))).totalUsage;
  const { runs, used: all } = await bill.total();
  const text = `last run      ${usedText(last)}\nconversation  ${usedText(all)} in ${count(runs, 'run')}\n`;
  return { text, document: { ok: true, session, runs, last, all } };
}
