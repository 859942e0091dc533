import {
  asText,
  exitCodeOf,
  optional,
  visible,
  type OpenQuestion,
  type RunResult,
} from '../../core/index.ts';
import { count } from '../../doctor/report.ts';
import { moneyText, tokensText, type RunTree } from '../../views/index.ts';
import {
  cutTo,
  drawTree,
  errorText,
  pasteable,
  printJson,
  printJsonLine,
  printWhole,
  runTimeText,
  sayUnmatchedRules,
  spelled,
  widthOf,
  withHint,
  wrapTo,
  type Invocation,
} from '../command-kit.ts';
import { stillOpenLines, waitingLines } from './questions.ts';
import { shortId } from './run-id.ts';
import { watchRun, type RunOutcome, type RunTask } from './watch-run.ts';

/** A run that is shown and whose outcome is printed. */
interface PrintedTask extends RunTask {
  /** Prints the result of a run that is done, where that is neither its text nor its document. */
  readonly tell?: (result: RunResult) => void;
  /** Writes remarks to stderr before the outcome is printed. */
  readonly comment?: (result: RunResult) => void;
}

/** Shows a run until it ends or waits for somebody who is not here, then prints its outcome; returns the exit code. */
export async function printOutcome(task: PrintedTask): Promise<number> {
  const { agent, invocation, tell, comment } = task;
  sayUnmatchedRules(agent, invocation);
  const seen = await watchRun(task);
  if (isImpatient(seen)) await agent.shutdown({ drainMs: 0 }); // nobody waits for what goes on beside it
  comment?.(seen.result);
  return conclude({ ...seen, ...optional('tell', tell) }, invocation);
}

/** A run that had no more time has none for what it began, such as the preparation of its skill. */
function isImpatient({ isInterrupted, result }: RunOutcome): boolean {
  return isInterrupted || result.error?.code === 'limit.time';
}

/** What a run came to when nobody works on it any more. */
interface Conclusion {
  readonly result: RunResult;
  readonly tree: RunTree;
  /** Whether its last event, the end or the wait, was shown. */
  readonly isToldToEnd: boolean;
  /** Prints a result that is done, where that is neither its text nor its document. */
  readonly tell?: (result: RunResult) => void;
  /** What a run waits for, where it is not answered by another command. */
  readonly waits?: readonly string[];
  /** What the last line ends with, in the place of how to look at the run again. */
  readonly ending?: string;
}

/** Prints what a run came to; returns the exit code. */
export function conclude(concluded: Conclusion, invocation: Invocation): number {
  const { tree, isToldToEnd, tell } = concluded;
  const { error } = concluded.result;
  const { flags, own, terminal } = invocation;
  const told = error && withHint(error, flags.safe);
  const result = { ...concluded.result, ...optional('error', told) };
  if (!flags.json) printText({ ...concluded, result }, invocation);
  else if (result.ok && tell !== undefined) tell(result);
  else if (own['stream'] !== true) printJson(terminal, result);
  else if (tree.runId === '' && result.error !== undefined)
    printJsonLine(terminal, { ok: false, error: result.error });
  else if (!isToldToEnd) printJsonLine(terminal, result);
  return exitCodeFor(result);
}

/** The exit code of a run: that of its error, and 4 while it waits for a person. */
export function exitCodeFor({ ok, status, error }: RunResult): number {
  if (ok) return 0;
  if (error !== undefined) return exitCodeOf(error.code);
  return status === 'waiting' ? 4 : 130; // whoever stops to watch a run that goes on elsewhere interrupts nothing else
}

function printText({ result, tree, tell, waits, ending }: Conclusion, invocation: Invocation): void {
  const { flags, terminal } = invocation;
  const say = (lines: readonly string[]): void => terminal.err(lines.map((line) => `${line}\n`).join(''));
  const { frames, leafCalls } = tree.counts;
  if (terminal.live !== undefined && !flags.quiet && frames + leafCalls > 1) {
    say(drawTree(tree, { now: Date.now(), width: terminal.live.screen().columns, terminal }));
  }
  if (result.ok && tell !== undefined) tell(result);
  else if (result.ok) printAnswer(result, terminal);
  else if (result.error !== undefined) terminal.err(errorText(result.error, terminal));
  else if (result.status === 'waiting') say(waits ?? waitingLines(result.runId, tree.questions, invocation));
  else say(['The run goes on in another process.']);
  if (flags.quiet) return;
  if (result.changedPrograms !== undefined) say([changedLine(result.changedPrograms)]);
  if (result.stillOpen !== undefined) say([stillOpenLine(result.stillOpen, terminal)]);
  if (tree.runId !== '') say(lastLines({ result, tree, ending }, terminal));
}

const mostColumns = 500;

function changedLine(files: readonly string[]): string {
  const line = `Changed files that you may run later: ${files.map(visible).join(', ')}`;
  return cutTo(`${cutTo(line, mostColumns)}. Read the changes before you do.`, mostColumns + 50);
}

function stillOpenLine(question: OpenQuestion, terminal: Invocation['terminal']): string {
  return cutTo(stillOpenLines(question, terminal)[0] ?? '', mostColumns);
}

function printAnswer({ text, value }: RunResult, terminal: Invocation['terminal']): void {
  printWhole(text !== '' || value === undefined ? text : asText(value), terminal);
}

/** One line where there is room for it. */
function lastLines(
  { result, tree, ending }: Pick<Conclusion, 'result' | 'tree'> & { readonly ending: string | undefined },
  terminal: Invocation['terminal'],
): readonly string[] {
  const { counts, updatedAt, totalUsage: usage } = tree;
  const id = shortId(tree.runId);
  const used = [
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
  ];
  const parts = [
    `run ${id}`,
    result.status,
    count(counts.frames + counts.leafCalls, 'call'),
    runTimeText(tree, updatedAt),
    ...(used.length === 0 ? [] : [used.join(' · ')]), // money stays beside what it was paid for
    ...(ending === undefined ? [] : [ending]),
  ];
  const width = (terminal.live?.screen().columns ?? Infinity) - 1;
  const lines = wrapTo(parts, gap, width);
  if (ending !== undefined) return lines;
  const trace = `skilled trace ${id}`;
  const command = pasteable(`\`${trace}\``, terminal);
  const last = lines.at(-1) ?? '';
  const fits = widthOf(`${last}${gap}${spelled(trace, terminal)}`) <= width;
  return fits ? [...lines.slice(0, -1), `${last}${gap}${command}`] : [...lines, command]; // never cut: it is to be pasted
}

const gap = ' · ';
