import { AgentError } from '../../../core/error.ts';
import { foldRun } from '../../../views/run-tree.ts';
import { whyOf } from '../../../views/why.ts';
import { drawTree } from '../../output/tree.ts';
import { headOf } from '../trace/head.ts';
import { reasonLines } from '../trace/reasons.ts';
import type { Chat, Said } from './chat.ts';

/** The calls of the last run, as `skilled trace` draws them. */
export async function showTree(chat: Chat): Promise<Said> {
  const { agent, invocation } = chat;
  const id = mustHaveRun(chat);
  const { status } = await agent.runs.find(id);
  const tree = foldRun(await agent.runs.events(id));
  const { terminal } = invocation;
  const now = tree.endedAt ?? tree.updatedAt;
  const isInterrupted = status === 'interrupted';
  const lines = [
    headOf(tree, status, now, terminal),
    ...drawTree(tree, { now, width: terminal.width, terminal, isInterrupted }),
  ];
  return { text: textOf(lines), document: { ok: true, status, run: tree } };
}

/** What was decided in the last run, as `skilled trace --why` says it. */
export async function showWhy(chat: Chat): Promise<Said> {
  const runId = mustHaveRun(chat);
  const events = await chat.agent.runs.events(runId);
  const reasons = whyOf(events);
  const lines = reasonLines(reasons, foldRun(events).startedAt, chat.invocation.terminal.width);
  return { text: textOf(lines), document: { ok: true, runId, reasons } };
}

/** The last run of the conversation; `usage.not-found` before there is one. */
export function mustHaveRun({ lastRun }: Chat): string {
  if (lastRun !== undefined) return lastRun;
  throw new AgentError('usage.not-found', 'Nothing was run in this conversation yet.', {
    hint: 'Say what is to be done, or call a skill: /skills shows them.',
  });
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
