import {
  isAssistant,
  isJsonObject,
  optional,
  visible,
  type ApprovalRequest,
  type OpenQuestion,
} from '../../core/index.ts';
import {
  manyLines,
  oneLine,
  pasteable,
  spelled,
  timeLeft,
  widthOf,
  wrapWords,
  type Invocation,
  type Terminal,
} from '../command-kit.ts';
import { fitGrids } from '../output/grid.ts';
import { commandOf, previewLines } from './approval-preview.ts';
import { shortId } from './run-id.ts';

type Shown = Pick<Terminal, 'color' | 'spell'> & Partial<Pick<Terminal, 'width'>>;

const indent = '  ';

/**
 * Formats a question as lines: the skill that asks it, the question itself, its options and, for an approval,
 * the exact call.
 */
export function questionLines(
  { kind, path, text, options = [], asks }: OpenQuestion,
  terminal: Shown,
): readonly string[] {
  const who = path.map(callerName).join(' › ');
  // An approval shows its command with every character visible. Other questions can have several lines.
  const [said = '', ...shown] = kind === 'approval' ? [visible(text)] : linesOf(text);
  const head = kind === 'approval' || who === '' ? said : `${who} asks: ${said}`;
  const isRedundant = asks === undefined || (path.length < 2 && isSaid(asks));
  const call = isRedundant ? [] : [`  ${callText(path, asks, terminal)}`];
  const choices = options.map((option, index) => `  ${index + 1}. ${oneLine(option)}`);
  const rows = fitGrids(shown, terminal.width ?? Infinity);
  return [head, ...rows, ...call, ...choices].flatMap((line) => rowsAt(line, terminal));
}

function callerName(name: string): string {
  return isAssistant(name) ? 'assistant' : oneLine(name);
}

/** Wraps a line of a question to the width of the screen. The rows of an option are aligned with its text. */
function rowsAt(line: string, { width = Infinity }: Shown): readonly string[] {
  const [start] = /^ *(?:\d+\. |- )?/.exec(line) ?? [''];
  return widthOf(line) <= width ? [line] : wrapWords(line, width, ' '.repeat(start.length) || indent);
}

function linesOf(text: string): readonly string[] {
  const [first = '', ...others] = manyLines(text.trim()).split('\n');
  return [oneLine(first), ...others.map((line) => `  ${line.trimEnd()}`)];
}

/**
 * Formats an approval as lines: who wants to call what and why, and a preview of what the call would do.
 */
export function approvalLines(
  { path, text }: OpenQuestion,
  asks: ApprovalRequest,
  { terminal, cwd, width = Infinity }: Preview,
): readonly string[] {
  const command = commandOf(asks);
  const said = visible(text);
  // The command follows as it was written, so the sentence need not repeat it.
  const ending = command === undefined ? '' : `: ${visible(command)}`;
  const head = ending !== '' && said.endsWith(ending) ? `${said.slice(0, -ending.length)}:` : said;
  const callers = path.length < 2 ? [] : [[...path, asks.skill].map(callerName).join(' › ')];
  return [
    ...wrapWords(head, width, indent),
    ...callers.flatMap((line) => wrapWords(`${indent}${line}`, width, indent)),
    ...previewLines(asks, { terminal, cwd, width }),
  ];
}

/** The terminal that shows an approval. */
interface Preview {
  readonly terminal: Shown;
  /** The folder that paths are relative to. */
  readonly cwd: string;
  readonly width?: number;
}

/** Formats a reminder of a question that is still open after the user typed something else. */
export function stillOpenLines(question: OpenQuestion, terminal: Shown): readonly string[] {
  const [head = '', ...options] = questionLines(question, terminal);
  return [...rowsAt(`Still open: ${head}`, terminal), ...options];
}

/** Whether an approval's reason already ends with the complete input, as it does for commands. */
function isSaid({ input, reason }: ApprovalRequest): boolean {
  const [only, ...others] = isJsonObject(input) ? Object.values(input) : [input];
  return typeof only === 'string' && others.length === 0 && reason.endsWith(`: ${only}`);
}

const maxCharacters = 1_000;

/** Formats a call with all its callers. Input that is too long is cut and followed by a note. */
function callText(path: readonly string[], { skill, input }: ApprovalRequest, terminal: Shown): string {
  const calls = [...path, skill].map(oneLine).join(' › ');
  if (input === null) return calls;
  const all = visible(JSON.stringify(input));
  if (all.length <= maxCharacters) return `${calls} ${all}`;
  const more = (all.length - maxCharacters).toLocaleString('en');
  const rest = pasteable(`(${more} more characters: \`skilled approve --json\`)`, terminal);
  return `${calls} ${all.slice(0, maxCharacters).toWellFormed()}… ${rest}`;
}

/** Formats a run's open questions, each with the commands that answer it. */
export function waitingLines(
  runId: string,
  questions: readonly OpenQuestion[],
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): readonly string[] {
  const { terminal } = invocation;
  const lines = (what: string, command: string): readonly string[] =>
    commandLines(what, command, terminal, indent);
  // The question that receives an answer by default.
  const plain = questions.find(({ kind }) => kind === 'input');
  return questions.flatMap((question) => {
    const { id, asks } = question;
    if (asks !== undefined)
      return [
        ...approvalLines(question, asks, {
          terminal,
          cwd: invocation.flags.cwd,
          ...optional('width', terminal.width),
        }),
        ...timeLines(asks),
        ...decisionLines({ runId, id, asks }, invocation, indent),
      ];
    const go = `skilled resume ${runId}`;
    if (isExpired(question))
      return [...questionLines(question, terminal), ...lines('Too late to answer. Continue without it', go)];
    const only = question === plain ? '' : ` --question ${id}`;
    const answer = lines('Answer it', `${go}${only} "<answer>"`);
    return [...questionLines(question, terminal), ...timeLines(question), ...answer];
  });
}

/** Formats a command with what it does. On a terminal, wraps the text, but never breaks the command. */
function commandLines(what: string, command: string, terminal: Shown, start: string): readonly string[] {
  const { width = Infinity } = terminal;
  // The text can be a rule with a command, which is not changed.
  const lines = wrapWords(`${start}${what}:`, width, start);
  const last = `${lines.at(-1) ?? ''} ${spelled(command, terminal)}`;
  const typed = pasteable(`\`${command}\``, terminal);
  if (widthOf(last) > width) return [...lines, `${start}${typed}`];
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ''} ${typed}`];
}

function timeLines({ expires }: Pick<ApprovalRequest, 'expires'>): readonly string[] {
  const left = expires === undefined ? undefined : timeLeft(expires, Date.now());
  return left === undefined ? [] : [`  Time left: ${left}`];
}

/** A pending decision: a run's question and the approval request that the question is about. */
export interface Undecided {
  readonly runId: string;
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/**
 * Formats the commands that approve or deny a request, ready to paste, each with the rule that it saves.
 * After the deadline, formats the command that continues the run without a decision.
 */
export function decisionLines(
  undecided: Undecided,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
  start = '',
): readonly string[] {
  const { runId, asks } = undecided;
  const lines = (what: string, command: string): readonly string[] =>
    commandLines(what, command, terminal, start);
  if (isExpired(asks)) return lines('Too late to decide. Continue without it', `skilled resume ${runId}`);
  const command = approveCommand(undecided);
  const deny = lines('Deny it', `${command} --deny "<reason>"`);
  if (flags.safe) return deny; // `--safe` permits only denying a request.
  const longer = longerApprovals(asks).flatMap(({ what, flag }) =>
    lines(`Allow ${what}`, `${command} ${flag}`),
  );
  return [...lines('Allow it once', command), ...longer, ...deny];
}

/**
 * Returns the command that allows a request once. The command names the run and the question, so that it
 * cannot affect any other request. The start of their ids is enough.
 */
export function approveCommand({ runId, id }: Pick<Undecided, 'runId' | 'id'>): string {
  return `skilled approve ${decisionId({ runId, id })}`;
}

const shownDigits = 8; // The number of characters of a question's id, with its `q_`.

/** Returns the short id of a pending decision. */
export function decisionId({ runId, id }: Pick<Undecided, 'runId' | 'id'>): string {
  return `${shortId(runId)}/${id.slice(0, shownDigits)}`;
}

/** Whether a request has expired, so that it can no longer be decided or answered. */
function isExpired({ expires = Infinity }: Pick<ApprovalRequest, 'expires'>): boolean {
  return expires <= Date.now();
}

/** An approval that covers more calls than the requested one. */
interface LongerApproval {
  /** The decision that grants the approval. */
  readonly allow: 'run' | 'version';
  /** The key that grants the approval at a terminal. */
  readonly key: 'r' | 'a';
  /** The CLI flag that grants the approval. */
  readonly flag: '--run' | '--always';
  /** The rule that the approval allows, with its scope. */
  readonly what: string;
}

/**
 * Returns the approvals that cover more calls than the requested one, each with the rule that would be saved.
 * Returns none for requests that need approval each time. Pure.
 */
export function longerApprovals({ rule, each, version }: ApprovalRequest): readonly LongerApproval[] {
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
