import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Approval } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { oneLine } from '../output/text.ts';
import type { Ask, Terminal } from '../terminal.ts';
import { typedValue } from '../typed-value.ts';
import type { Asked } from './asked.ts';
import { chosenOption } from './chosen-option.ts';
import { questionLines } from './question-text.ts';

/** Somebody who can be asked, and where the answer goes; `give` throws `usage.bad-input` for one that does not fit. */
export interface Conversation {
  readonly terminal: Pick<Terminal, 'err'>;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly asked: Asked;
  give(answer: Json): Promise<void>;
}

/** Asks the person at the terminal until an answer fits; false when none comes. */
export async function askPerson(question: OpenQuestion, talk: Conversation): Promise<boolean> {
  talk.terminal.err(
    questionLines(question, talk.asked)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const ask: Read = (prompt) => talk.ask(prompt, talk.signal);
  const isEach = talk.asked.get(question.id)?.each === true;
  while (true) {
    try {
      const answer = await (question.kind === 'approval'
        ? readApproval(isEach, ask)
        : readAnswer(question, ask));
      if (answer === undefined) return false;
      await talk.give(answer);
      return true;
    } catch (thrown) {
      if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input') throw thrown;
      talk.terminal.err(`${oneLine(thrown.message)}\n`);
    }
  }
}

type Read = (prompt: string) => Promise<string | undefined>;

/** A number among the options stands for that option; an empty line says nothing. */
async function readAnswer(question: OpenQuestion, ask: Read): Promise<Json | undefined> {
  while (true) {
    const line = (await ask('> '))?.trim();
    if (line === undefined) return undefined;
    if (line !== '') return typedValue('The answer', chosenOption(question, line), question.schema);
  }
}

/** What is asked each time cannot be allowed for the whole run. */
async function readApproval(isEach: boolean, ask: Read): Promise<Json | undefined> {
  const choices = ['y once', ...(isEach ? [] : ['r for this run']), 'n no'].join(' · ');
  while (true) {
    const line = (await ask(`${choices} > `))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === 'y' || line === 'yes') return { allow: 'once' } satisfies Approval;
    if (!isEach && (line === 'r' || line === 'run')) return { allow: 'run' } satisfies Approval;
    if (line === 'n' || line === 'no') return denial(ask);
  }
}

async function denial(ask: Read): Promise<Json | undefined> {
  const reason = await ask('Why not? ');
  return reason === undefined ? undefined : { deny: reason.trim() || 'The user said no.' };
}
