import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../../core/event.ts';
import type { Json } from '../../../core/json.ts';
import type { Approval } from '../../../core/policy.ts';
import { createRunFold } from '../../../views/run-tree.ts';
import type { RunTree } from '../../../views/run-node.ts';
import type { Invocation } from '../../command.ts';
import { oneLine } from '../../output/text.ts';
import { questionLines } from '../../running/question-text.ts';
import { createRunView } from '../../running/run-view.ts';
import type { Terminal } from '../../terminal.ts';

/** Shows a log as `skilled run` showed its run, so many times as fast; returns at once where there is nothing to watch. */
export async function replay(
  events: readonly RunEvent[],
  invocation: Invocation,
  speed: number,
): Promise<void> {
  const { flags, terminal } = invocation;
  if (speed === 0 || flags.quiet || terminal.live === undefined) return;
  const begun = Date.now();
  const recorded = events[0]?.at ?? begun;
  const now = (): number => recorded + (Date.now() - begun) * speed;
  using view = createRunView(invocation, now);
  const fold = createRunFold();
  for (const event of events) {
    const early = (event.at - now()) / speed;
    if (early > 0) await pause(early);
    const said = wordsAt(event, fold.tree, terminal);
    if (said.length > 0) terminal.err(said.map((line) => `${line}\n`).join(''));
    fold.add(event);
    view.see(event, fold.tree);
  }
}

/** What stood on the terminal between trees: questions when the run waits for them, and what was typed. */
function wordsAt(event: RunEvent, { questions }: RunTree, terminal: Terminal): readonly string[] {
  switch (event.type) {
    case 'run.waiting':
      return questions.flatMap((question) => questionLines(question, terminal));
    case 'input.resolved':
      return [`> ${answerText(event.answer)}`];
    case 'approval.resolved':
      return [`> ${decisionText(event.answer)}`];
    default:
      return [];
  }
}

function answerText(answer: Json): string {
  return oneLine(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

function decisionText(answer: Approval): string {
  return 'deny' in answer ? `n: ${oneLine(answer.deny)}` : 'y';
}
