import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { oneLine } from '../output/text.ts';
import type { Ask, Terminal } from '../terminal.ts';
import { typedValue } from '../../core/json/coerce.ts';
import { chosenOption, type OpenQuestion } from '../../core/run.ts';
import type { Diverted } from './divert-words.ts';
import { questionLines, stillOpenLines } from './question-text.ts';
import { approvalLines, readApproval } from './read-approval.ts';

/** Somebody who can be asked, and where the answer goes; `give` throws `usage.bad-input` for one that does not fit. */
export interface Conversation {
  readonly terminal: Pick<Terminal, 'err' | 'forgetTyped' | 'color' | 'spell'>;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  give(answer: Json): Promise<void>;
  /** Carries out words that are no answer; without it all are. */
  divert?(words: string): Promise<Diverted>;
}

/** Asks the person at the terminal until an answer fits, or the question is not open any more; false when none comes. */
export async function askPerson(question: OpenQuestion, talk: Conversation): Promise<boolean> {
  const { asks } = question;
  const say = (lines: readonly string[]): void =>
    talk.terminal.err(lines.map((line) => `${line}\n`).join(''));
  if (asks !== undefined) await talk.terminal.forgetTyped?.(); // nobody decides what they have not seen
  say([...questionLines(question, talk.terminal), ...(asks === undefined ? [] : approvalLines(asks))]);
  const ask: Ask = (prompt) => talk.ask(prompt, talk.signal);
  while (true) {
    try {
      const answer = await (asks === undefined ? readLine(ask) : readApproval(asks, ask));
      if (answer === undefined) return false;
      const diverted = typeof answer === 'string' ? await talk.divert?.(answer) : undefined;
      if (diverted === 'request') {
        say(stillOpenLines(question, talk.terminal));
        continue;
      }
      if (diverted !== 'dropped')
        await talk.give(typeof answer === 'string' ? valueIn(question, answer) : answer);
      return true;
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown;
      const isDecided = thrown.code === 'usage.not-found' && asks !== undefined;
      say([isDecided ? 'It was decided elsewhere meanwhile.' : oneLine(thrown.message)]);
      const isUnfit = thrown.code === 'usage.bad-input' && asks === undefined;
      if (!isUnfit) return true; // it was too late, or somebody else was quicker: the run knows how it goes on
    }
  }
}

/** An empty line says nothing. */
async function readLine(ask: Ask): Promise<string | undefined> {
  while (true) {
    const line = (await ask('> '))?.trim();
    if (line !== '') return line;
  }
}

/** A number among the options stands for that option. */
function valueIn(question: OpenQuestion, line: string): Json {
  return typedValue('The answer', chosenOption(question, line), question.schema);
}
