import type { PendingApproval } from '../../../agent/runs/pending.ts';
import type { Invocation } from '../../command.ts';
import { agoText } from '../../output/ago.ts';
import { printJson } from '../../output/json.ts';
import { paint } from '../../output/status.ts';
import { existingStore, openHistory, placeOfRuns, sayForeign } from '../../run-store.ts';
import { decisionLines } from '../../running/decision-lines.ts';
import { pendingQuestion } from '../../running/pending-question.ts';
import { questionLines } from '../../running/question-text.ts';
import { timeLeft } from '../../running/time-left.ts';

/** What the runs of this project wait for, oldest first, each with the commands that decide it. */
export async function listPending(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const store = existingStore(flags);
  sayForeign(invocation);
  const pending = store === undefined ? [] : await pendingIn(store);
  if (flags.json) printJson(terminal, { ok: true, approvals: pending });
  else if (pending.length > 0) terminal.out(pending.map((one) => describe(one, invocation)).join('\n'));
  else if (!flags.quiet) terminal.err(`Nothing in ${placeOfRuns(flags)} waits for a decision.\n`);
  return 0;
}

async function pendingIn(store: string): Promise<readonly PendingApproval[]> {
  await using agent = openHistory(store);
  return await agent.runs.pending();
}

function describe(pending: PendingApproval, invocation: Invocation): string {
  const { runId, id, asks, at } = pending;
  const lines = [
    ...questionLines(pendingQuestion(pending), invocation.terminal),
    ...decisionLines({ runId, id, asks }, invocation),
  ];
  const head = `${paint(`${runId}/${id}`, 'bold', invocation.terminal)}  ${when(at, asks.expires)}`;
  return [head, ...lines.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}

/** Since when it is asked, and how long yet. */
function when(at: number, expires: number | undefined): string {
  const now = Date.now();
  const asked = `asked ${agoText(now - at)}`;
  if (expires === undefined) return asked;
  const left = timeLeft(expires, now);
  return left === undefined ? `${asked}, expired` : `${asked}, ${left} left`;
}
