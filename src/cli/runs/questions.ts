import { isJsonObject, visible, type ApprovalRequest, type OpenQuestion } from '../../core/index.ts';
import { manyLines, oneLine, pasteable, timeLeft, type Invocation, type Terminal } from '../command-kit.ts';

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

/** Something to be decided: the question of a run, and what it is about. */
export interface Undecided {
  readonly runId: string;
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/** The commands that decide, ready to be pasted, with the rule that each of them keeps; where it is too late, the one that goes on without. */
export function decisionLines(
  undecided: Undecided,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): readonly string[] {
  const { runId, asks } = undecided;
  const line = (what: string, command: string): string => `${what}: ${pasteable(`\`${command}\``, terminal)}`;
  if (isExpired(asks)) return [line('Too late to decide. Go on without it', `skilled resume ${runId}`)];
  const command = approveCommand(undecided);
  const deny = line('Deny it', `${command} --deny "<reason>"`);
  if (flags.safe) return [deny]; // nothing is allowed under it
  const longer = longerLeave(asks).map(({ what, flag }) => line(`Allow ${what}`, `${command} ${flag}`));
  return [line('Allow it once', command), ...longer, deny];
}

/** The command that allows something once. It names run and question, so that it never decides about anything else. */
export function approveCommand({ runId, id }: Pick<Undecided, 'runId' | 'id'>): string {
  return `skilled approve ${runId}/${id}`;
}

/** Whether it is too late to decide or to answer. */
function isExpired({ expires = Infinity }: Pick<ApprovalRequest, 'expires'>): boolean {
  return expires <= Date.now();
}

/** Leave for more than the one call that is asked about. */
interface LongerLeave {
  /** The answer that gives it. */
  readonly allow: 'run' | 'version';
  /** By which it is given at a terminal. */
  readonly key: 'r' | 'a';
  /** By which it is given on a command line. */
  readonly flag: '--run' | '--always';
  /** What would be allowed, and for whom or how long. */
  readonly what: string;
}

/** What a person may allow beyond this once, with the rule that would be kept; nothing for what is asked about each time. Pure. */
export function longerLeave({ rule, each, version }: ApprovalRequest): readonly LongerLeave[] {
  if (each === true) return [];
  const shown = visible(rule);
  const forRun = { allow: 'run', key: 'r', flag: '--run', what: `${shown} in this run` } as const;
  if (version === undefined) return [forRun];
  const whose = `${oneLine(version.skill)} until its files change (version ${shortDigest(version.digest)})`;
  return [forRun, { allow: 'version', key: 'a', flag: '--always', what: `${shown} for ${whose}` }];
}

function shortDigest(digest: string): string {
  return oneLine(digest)
    .replace(/^sha256:/, '')
    .slice(0, 12);
}
