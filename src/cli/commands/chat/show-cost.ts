import { addUsage, noUsage, type Usage } from '../../../core/model.ts';
import { count } from '../../../doctor/count.ts';
import { moneyText, tokensText } from '../../../views/amounts.ts';
import { foldRun } from '../../../views/run-tree.ts';
import type { Chat, Said } from './chat.ts';
import { mustHaveRun } from './show-run.ts';

const mostRuns = 10_000;

/** What the last run used, and all runs of the conversation together. */
export async function showCost(chat: Chat): Promise<Said> {
  const { agent, session } = chat;
  const lastRun = mustHaveRun(chat);
  const runs = await agent.runs.list({ session, limit: mostRuns });
  let last: Usage = noUsage;
  let all: Usage = noUsage;
  for (const { id } of runs) {
    const used = foldRun(await agent.runs.events(id)).totalUsage;
    if (id === lastRun) last = used;
    all = addUsage(all, used);
  }
  const text = `last run      ${usedText(last)}\nconversation  ${usedText(all)} in ${count(runs.length, 'run')}\n`;
  return { text, document: { ok: true, session, runs: runs.length, last, all } };
}

function usedText(usage: Usage): string {
  const money = usage.cost === undefined ? [] : [moneyText(usage.cost)];
  return [tokensText(usage), ...money].join(', ');
}
