import type { Usage } from '../../../core/model.ts';
import { optional } from '../../../core/collections.ts';
import { readPrompt, type OpenQuestion } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import { withHint } from '../../hints.ts';
import { printJsonLine } from '../../output/json.ts';
import { prepareStore } from '../../run-store.ts';
import { conclude, exitCodeFor } from '../../running/conclude.ts';
import { findAnswered } from '../../running/find-answered.ts';
import { questionLines, stillOpenLines, waitingLines } from '../../running/question-text.ts';
import { seeToEnd } from '../../running/see-to-end.ts';
import { usedText } from './bill.ts';
import type { Chat } from './chat.ts';
import type { Terminal } from '../../terminal.ts';

/** How a turn went. */
export interface Turn {
  readonly exitCode: number;
  /** Its run waits for a person. */
  readonly isWaiting: boolean;
  /** Ctrl+C. */
  readonly isInterrupted: boolean;
}

/** Carries out what was said, or answers a question with it, and prints what it came to; throws where the run that asked cannot go on here. */
export async function takeTurn(chat: Chat, prompt: string): Promise<Turn> {
  const { agent, invocation, session, bounds, lastRun } = chat;
  using _kept = await invocation.terminal.keepTyped?.();
  await prepareStore(invocation);
  const answered = lastRun === undefined ? undefined : await findAnswered(agent, invocation, session, prompt);
  const seen = await seeToEnd({
    ...{ agent, invocation, leavesQuestions: true },
    awaitsPreparations: answered === undefined && readPrompt(prompt).name === undefined,
    begin: (signal) => agent.run({ prompt, session, ...bounds, signal }),
  });
  const { result, tree, isInterrupted } = seen;
  const { stillOpen, ...told } = result;
  const { runId, status, question } = told;
  const how = { isWaiting: status === 'waiting' && result.error === undefined, isInterrupted };
  if (tree.runId !== '') {
    chat.lastRun = runId;
    chat.bill.note(runId, tree.totalUsage);
  }
  if (invocation.flags.json) {
    const error = result.error && withHint(result.error, invocation.flags.safe);
    printJsonLine(invocation.terminal, { ...result, ...optional('error', error) });
    return { ...how, exitCode: exitCodeFor(result) };
  }
  const waits = tree.questions.flatMap((question) => waitLines(chat, runId, question));
  const ending = optional('ending', await billText(chat, tree.totalUsage));
  const exitCode = conclude({ ...seen, result: told, waits, ...ending }, invocation);
  const isAsked = status === 'waiting' && question?.kind === 'input';
  if (stillOpen !== undefined && !isAsked)
    say(invocation, [...stillOpenLines(stillOpen, invocation.terminal), howToAnswer]);
  return { ...how, exitCode };
}

/** What the conversation has used, where that is more than its last run did. */
async function billText({ bill }: Chat, last: Usage): Promise<string | undefined> {
  const { used } = await bill.total();
  return tokensOf(used) > tokensOf(last) ? `conversation ${usedText(used)}` : undefined;
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

function say({ terminal }: Invocation, lines: readonly string[]): void {
  terminal.err(lines.map((line) => `${line}\n`).join(''));
}

/** A question as the conversation shows it. */
export function shownQuestion(question: OpenQuestion, terminal: Terminal): readonly string[] {
  return [...questionLines(question, terminal), howToAnswer];
}

const howToAnswer = '  Your next line answers it; /cancel drops it.';

function waitLines({ invocation }: Chat, runId: string, question: OpenQuestion): readonly string[] {
  return question.kind === 'input'
    ? shownQuestion(question, invocation.terminal)
    : waitingLines(runId, [question], invocation);
}
