import {
  chosenOption,
  isAgentError,
  isDropping,
  readPrompt,
  typedValue,
  type Approval,
  type ApprovalRequest,
  type Json,
  type OpenQuestion,
} from '../../core/index.ts';
import { oneLine, timeLeft, type Ask, type Terminal, type RecursiveSkilledAgent } from '../command-kit.ts';
import { longerLeave, questionLines, stillOpenLines } from './questions.ts';

/** Somebody who can be asked, and where the answer goes; `give` throws `usage.bad-input` for one that does not fit. */
interface Conversation {
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

const hour = 3_600_000; // milliseconds

/** What each key that allows more than once would keep, and the time that is left when that is less than an hour. */
function approvalLines(asks: ApprovalRequest): readonly string[] {
  const { expires = Infinity } = asks;
  const now = Date.now();
  const left = expires - now < hour ? timeLeft(expires, now) : undefined;
  const longer = longerLeave(asks).map(({ key, what }) => `  ${key} allows ${what}`);
  return [...longer, ...(left === undefined ? [] : [`  Time left: ${left}`])];
}

/** Asks for a key until it is one of those that are offered; undefined when nothing comes. */
async function readApproval(asks: ApprovalRequest, ask: Ask): Promise<Approval | undefined> {
  const longer = longerLeave(asks);
  const names = { run: 'this run', version: 'always' } as const;
  const choices = ['y once', ...longer.map(({ key, allow }) => `${key} ${names[allow]}`), 'n no'];
  while (true) {
    const line = (await ask(`${choices.join(' · ')} > `))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === 'y' || line === 'yes') return { allow: 'once' };
    if (line === 'n' || line === 'no') return readDenial(ask);
    const chosen = longer.find(({ key, flag }) => line === key || `--${line}` === flag);
    if (chosen !== undefined) return { allow: chosen.allow };
  }
}

async function readDenial(ask: Ask): Promise<Approval | undefined> {
  const reason = await ask('Why not? ');
  return reason === undefined ? undefined : { deny: reason.trim() || 'The user said no.' };
}

/** What became of words that were typed where a question waits. */
type Diverted = 'answer' | 'request' | 'dropped';

/** A question that somebody is being asked. */
interface AskedHere {
  readonly agent: RecursiveSkilledAgent;
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Carries out what is typed in the place of an answer; without it every line is one. */
  readonly instead: ((words: string) => Promise<void>) | undefined;
}

/**
 * Carries out words that are no answer: those that name a skill which there is, those that its family calls a request, and
 * `/cancel`. Any other path or name may be the answer.
 */
export async function divertWords(
  { agent, runId, question, instead }: AskedHere,
  words: string,
): Promise<Diverted> {
  if (instead === undefined) return 'answer';
  if (isDropping(words)) {
    await agent.runs.cancel(runId, 'The question was dropped.');
    return 'dropped';
  }
  const { name } = readPrompt(words);
  const isNamed = name !== undefined && agent.skills.has(name);
  if (!isNamed && (await agent.runs.isAnswer(runId, question, words))) return 'answer';
  await instead(words);
  return 'request';
}
