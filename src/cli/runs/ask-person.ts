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
import {
  oneLine,
  timeLeft,
  wrapWords,
  type Ask,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../command-kit.ts';
import { approvalLines, longerApprovals, questionLines, stillOpenLines } from './questions.ts';

/**
 * A terminal where the user can answer questions. `give` receives each answer and throws `usage.bad-input` if
 * the answer is invalid.
 */
interface Conversation {
  readonly terminal: Pick<Terminal, 'err' | 'forgetTyped' | 'color' | 'spell' | 'live'> &
    Partial<Pick<Terminal, 'width'>>;
  /** The folder that paths in a call are relative to. */
  readonly cwd?: string;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  give(answer: Json): Promise<void>;
  /**
   * Handles text that does not answer the question. Without this function, all text is treated as an answer.
   */
  divert?(text: string): Promise<Diverted>;
}

/**
 * Asks the user at the terminal until an answer is valid or the question is closed. Returns false if there is
 * no answer.
 */
export async function askPerson(question: OpenQuestion, talk: Conversation): Promise<boolean> {
  const { asks } = question;
  const say = (lines: readonly string[]): void =>
    talk.terminal.err(lines.map((line) => `${line}\n`).join(''));
  const columns = (talk.terminal.live?.screen().columns ?? Infinity) - 1;
  // Keys typed before the question was shown must not be treated as an answer.
  if (asks !== undefined) await talk.terminal.forgetTyped?.();
  say(
    asks === undefined
      ? questionLines(question, talk.terminal)
      : shownApproval(question, asks, talk, columns),
  );
  const ask: Ask = (prompt) => talk.ask(prompt, talk.signal);
  while (true) {
    try {
      const answer = await (asks === undefined ? readLine(ask) : readApproval(asks, ask, say, columns));
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
      say([isDecided ? 'This approval was already decided elsewhere.' : oneLine(thrown.message)]);
      const isUnfit = thrown.code === 'usage.bad-input' && asks === undefined;
      // The question expired or was decided elsewhere; in both cases, the run can continue.
      if (!isUnfit) return true;
    }
  }
}

/** Reads a line, skipping empty ones. */
async function readLine(ask: Ask): Promise<string | undefined> {
  while (true) {
    const line = (await ask('> '))?.trim();
    if (line !== '') return line;
  }
}

/** Converts a typed line to an answer. The number of an option selects that option. */
function valueIn(question: OpenQuestion, line: string): Json {
  return typedValue('The answer', chosenOption(question, line), question.schema);
}

const hour = 3_600_000;

/** Formats an approval, and the time left if it is under an hour. */
function shownApproval(
  question: OpenQuestion,
  asks: ApprovalRequest,
  { terminal, cwd = process.cwd() }: Conversation,
  width: number,
): readonly string[] {
  const { expires = Infinity } = asks;
  const now = Date.now();
  const left = expires - now < hour ? timeLeft(expires, now) : undefined;
  const lines = approvalLines(question, asks, { terminal, cwd, width });
  // Trust lasts, so its exact version is always shown.
  const trusts = asks.rule.startsWith('Trust(') ? longerLines(asks) : [];
  const shown = [...lines, ...trusts.flatMap((line) => wrapWords(line, width, '    '))];
  return [...shown, ...(left === undefined ? [] : [`  Time left: ${left}`])];
}

/** Asks until the typed key is one of the choices. Returns undefined if the input ends. */
async function readApproval(
  asks: ApprovalRequest,
  ask: Ask,
  say: (lines: readonly string[]) => void,
  columns: number,
): Promise<Approval | undefined> {
  const longer = longerApprovals(asks);
  const names = { run: 'this run', version: 'always' } as const;
  const named = ['y once', ...longer.map(({ key, allow }) => `${key} ${names[allow]}`), 'n no'];
  // On a narrow screen, fewer words fit on one line with what is typed.
  const forms = [[...named, '? help'], [...named, '?'], keysOf(asks)].map((keys) => keys.join(' · '));
  const choices = forms.find((form) => form.length + 4 < columns) ?? forms.at(-1) ?? '';
  while (true) {
    const line = (await ask(`${choices} > `))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === 'y' || line === 'yes') return { allow: 'once' };
    if (line === 'n' || line === 'no') return readDenial(ask);
    const chosen = longer.find(({ key, flag }) => line === key || `--${line}` === flag);
    if (chosen !== undefined) return { allow: chosen.allow };
    if (line === '?') say(explainedKeys(asks).flatMap((one) => wrapWords(one, columns, '    ')));
    else if (line !== '') say([`"${oneLine(line)}" is not one of the keys: ${keysOf(asks).join(', ')}.`]);
  }
}

function keysOf(asks: ApprovalRequest): readonly string[] {
  return ['y', ...longerApprovals(asks).map(({ key }) => key), 'n', '?'];
}

/** Explains each key, with the rule that it would allow. */
function explainedKeys(asks: ApprovalRequest): readonly string[] {
  return [
    '  y allows this call, once',
    ...longerLines(asks),
    '  n denies it; you can add a reason, which the model reads',
    ...(asks.each === true ? ['  Calls like this one are asked about every time.'] : []),
  ];
}

function longerLines(asks: ApprovalRequest): readonly string[] {
  return longerApprovals(asks).map(({ key, what }) => `  ${key} allows ${what}`);
}

async function readDenial(ask: Ask): Promise<Approval | undefined> {
  const reason = await ask('Why not? ');
  return reason === undefined ? undefined : { deny: reason.trim() || 'The user denied the request.' };
}

/** The result of handling text that was typed at a question. */
type Diverted = 'answer' | 'request' | 'dropped';

/** A question that is being asked at this terminal. */
interface AskedHere {
  readonly agent: RecursiveSkilledAgent;
  readonly runId: string;
  readonly question: OpenQuestion;
  /**
   * Handles text that does not answer the question. Without this function, every line is treated as an
   * answer.
   */
  readonly instead: ((text: string) => Promise<void>) | undefined;
}

/**
 * Handles text that does not answer the question: the name of an existing skill, text that the skill's family
 * considers a new request, or `/cancel`. Any other path or name can be an answer.
 */
export async function divertRequest(
  { agent, runId, question, instead }: AskedHere,
  text: string,
): Promise<Diverted> {
  if (instead === undefined) return 'answer';
  if (isDropping(text)) {
    await agent.runs.cancel(runId, 'The question was dropped.');
    return 'dropped';
  }
  const { name } = readPrompt(text);
  const isNamed = name !== undefined && agent.skills.has(name);
  if (!isNamed && (await agent.runs.isAnswer(runId, question, text))) return 'answer';
  await instead(text);
  return 'request';
}
