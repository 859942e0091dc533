import { isJsonObject } from '../../core/json.ts';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { visible } from '../../core/text.ts';
import type { Invocation } from '../command.ts';
import { pasteable } from '../output/pasteable.ts';
import { manyLines, oneLine } from '../output/text.ts';
import type { Terminal } from '../terminal.ts';
import { decisionLines, isExpired } from './decision-lines.ts';
import { timeLeft } from './time-left.ts';

type Shown = Pick<Terminal, 'color' | 'spell'>;

/** A question in lines: who asks what, the answers to choose from, and for an approval exactly what would be called. */
export function questionLines(
  { kind, path, text, options = [], asks }: OpenQuestion,
  terminal: Shown,
): readonly string[] {
  const who = path.map(oneLine).join(' › ');
  // A command is shown letter by letter; what else is asked may show something in lines below.
  const [said = '', ...shown] = kind === 'approval' ? [visible(text)] : linesOf(text);
  const head = kind === 'approval' || who === '' ? said : `${who} asks: ${said}`;
  const isTold = asks === undefined || (path.length < 2 && isSaid(asks));
  const call = isTold ? [] : [`  ${callText(path, asks, terminal)}`];
  return [head, ...shown, ...call, ...options.map((option, index) => `  ${index + 1}. ${oneLine(option)}`)];
}

function linesOf(text: string): readonly string[] {
  const [first = '', ...others] = manyLines(text.trim()).split('\n');
  return [oneLine(first), ...others.map((line) => `  ${line.trimEnd()}`)];
}

/** A question that was not answered by what was said meanwhile. */
export function stillOpenLines(question: OpenQuestion, terminal: Shown): readonly string[] {
  const [head = '', ...options] = questionLines(question, terminal);
  return [`Still open: ${head}`, ...options];
}

/** Whether the reason ends with the whole of the input, as that of a command does. */
function isSaid({ input, reason }: ApprovalRequest): boolean {
  const [only, ...others] = isJsonObject(input) ? Object.values(input) : [input];
  return typeof only === 'string' && others.length === 0 && reason.endsWith(`: ${only}`);
}

const mostLetters = 1_000;

/** The call with all that is above it; whoever decides is told when something is left out. */
function callText(path: readonly string[], { skill, input }: ApprovalRequest, terminal: Shown): string {
  const calls = [...path, skill].map(oneLine).join(' › ');
  if (input === null) return calls;
  const all = visible(JSON.stringify(input));
  if (all.length <= mostLetters) return `${calls} ${all}`;
  const more = (all.length - mostLetters).toLocaleString('en');
  const rest = pasteable(`(${more} more characters: \`skilled approve --json\`)`, terminal);
  return `${calls} ${all.slice(0, mostLetters).toWellFormed()}… ${rest}`;
}

/** The open questions of a run, each with the commands that answer it. */
export function waitingLines(
  runId: string,
  questions: readonly OpenQuestion[],
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): readonly string[] {
  const { terminal } = invocation;
  const line = (what: string, command: string): string =>
    `  ${what}: ${pasteable(`\`${command}\``, terminal)}`;
  const plain = questions.find(({ kind }) => kind === 'input'); // the one that an answer goes to by itself
  return questions.flatMap((question) => {
    const { id, asks } = question;
    if (asks !== undefined)
      return [
        ...questionLines(question, terminal),
        ...timeLines(asks),
        ...decisionLines({ runId, id, asks }, invocation).map((one) => `  ${one}`),
      ];
    const go = `skilled resume ${runId}`;
    if (isExpired(question))
      return [...questionLines(question, terminal), line('Too late to answer. Go on without it', go)];
    const only = question === plain ? '' : ` --question ${id}`;
    const answer = line('Answer it', `${go}${only} "<answer>"`);
    return [...questionLines(question, terminal), ...timeLines(question), answer];
  });
}

function timeLines({ expires }: Pick<ApprovalRequest, 'expires'>): readonly string[] {
  const left = expires === undefined ? undefined : timeLeft(expires, Date.now());
  return left === undefined ? [] : [`  Time left: ${left}`];
}
