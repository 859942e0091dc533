import {
  asText,
  counted,
  exitCodeOf,
  optional,
  visible,
  type OpenQuestion,
  type RunResult,
} from '../../core/index.ts';
import { moneyText, tokensText, type RunTree } from '../../views/index.ts';
import {
  cutTo,
  dim,
  drawTree,
  errorText,
  pasteable,
  printJson,
  printJsonLine,
  printWhole,
  runTimeText,
  sayRuleIssues,
  spelled,
  widthOf,
  withHint,
  wrapTo,
  type Invocation,
} from '../command-kit.ts';
import { renderMarkdown } from '../output/markdown/render.ts';
import { stillOpenLines, waitingLines } from './questions.ts';
import { shortId } from './run-id.ts';
import { watchRun, type RunOutcome, type RunTask } from './watch-run.ts';

/** A run to show, with options for printing its outcome. */
interface PrintedTask extends RunTask {
  /** Prints a completed run's result instead of the default text or JSON document. */
  readonly printResult?: (result: RunResult) => void;
  /** Writes remarks to stderr before the outcome is printed. */
  readonly comment?: (result: RunResult) => void;
}

/**
 * Shows a run until it ends or waits for user input that cannot be requested here. Then prints its outcome
 * and returns the exit code.
 */
export async function printOutcome(task: PrintedTask): Promise<number> {
  const { agent, invocation, printResult, comment } = task;
  sayRuleIssues(agent, invocation);
  const outcome = await watchRun(task);
  if (isImpatient(outcome)) await agent.shutdown({ drainMs: 0 }); // Shut down without waiting for other work.
  comment?.(outcome.result);
  return conclude({ ...outcome, ...optional('printResult', printResult) }, invocation);
}

/**
 * Whether to exit without waiting for other work, such as a skill's preparation, because the run was
 * interrupted or ran out of time.
 */
function isImpatient({ isInterrupted, result }: RunOutcome): boolean {
  return isInterrupted || result.error?.code === 'limit.time';
}

/** The outcome of a run that no process is working on any more. */
interface Conclusion {
  readonly result: RunResult;
  readonly tree: RunTree;
  /** Whether the run's final or waiting event was already shown. */
  readonly isEndShown: boolean;
  /** Prints a completed run's result instead of the default text or JSON document. */
  readonly printResult?: (result: RunResult) => void;
  /** The lines to print for a waiting run. Default: its questions, with the commands that answer them. */
  readonly waits?: readonly string[];
  /** Whether a model wrote the answer, so that it may contain Markdown. */
  readonly isWritten?: boolean;
  /** Set if the calls were already shown, so that only the time and the cost follow the answer. */
  readonly isTreeShown?: boolean;
  /** The text at the end of the last line. Default: the command that shows the run. */
  readonly ending?: string;
}

/** Prints a run's outcome and returns the exit code. */
export function conclude(concluded: Conclusion, invocation: Invocation): number {
  const { tree, isEndShown, printResult } = concluded;
  const { error } = concluded.result;
  const { flags, own, terminal } = invocation;
  const hinted = error && withHint(error, flags.safe);
  const result = { ...concluded.result, ...optional('error', hinted) };
  if (!flags.json) printText({ ...concluded, result }, invocation);
  else if (result.ok && printResult !== undefined) printResult(result);
  else if (own['stream'] !== true) printJson(terminal, result);
  else if (tree.runId === '' && result.error !== undefined)
    printJsonLine(terminal, { ok: false, error: result.error });
  else if (!isEndShown) printJsonLine(terminal, result);
  return exitCodeFor(result);
}

/**
 * Returns a run's exit code: its error's exit code, 130 if it was interrupted, or 4 while it waits for the
 * user.
 */
export function exitCodeFor({ ok, status, error }: RunResult): number {
  if (ok) return 0;
  if (status === 'interrupted') return 130;
  if (error !== undefined) return exitCodeOf(error.code);
  // The run continues in another process; this process only stopped showing it.
  return status === 'waiting' ? 4 : 130;
}

function printText(conclusion: Conclusion, invocation: Invocation): void {
  const { result, tree, printResult, waits, ending, isWritten = false, isTreeShown = false } = conclusion;
  const { flags, terminal } = invocation;
  const say = (lines: readonly string[]): void => terminal.err(lines.map((line) => `${line}\n`).join(''));
  const { frames, leafCalls } = tree.counts;
  if (terminal.live !== undefined && !flags.quiet && !isTreeShown && frames + leafCalls > 1) {
    say(drawTree(tree, { now: Date.now(), width: terminal.live.screen().columns, terminal }));
  }
  if (result.ok && printResult !== undefined) printResult(result);
  else if (result.ok) printAnswer(result, isWritten, terminal);
  else if (isTreeShown && result.status === 'cancelled') say([dim('Stopped.', terminal)]);
  else if (result.error !== undefined) terminal.err(errorText(result.error, terminal));
  else if (result.status === 'waiting') say(waits ?? waitingLines(result.runId, tree.questions, invocation));
  else say(['The run continues in another process.']);
  if (flags.quiet) return;
  if (result.changedPrograms !== undefined) say([changedLine(result.changedPrograms)]);
  if (result.stillOpen !== undefined) say([stillOpenLine(result.stillOpen, terminal)]);
  if (tree.runId === '') return;
  if (!isTreeShown) say(lastLines({ result, tree, ending }, terminal));
  else if (tree.totalUsage.inputTokens > 0)
    say(wrapTo(factsOf({ tree, ending }), gap, widthOfScreen(terminal)).map((line) => dim(line, terminal)));
}

const maxColumns = 500;

function changedLine(files: readonly string[]): string {
  const line = `Changed files that you may run later: ${files.map(visible).join(', ')}`;
  return cutTo(`${cutTo(line, maxColumns)}. Review the changes before you run these files.`, maxColumns + 50);
}

function stillOpenLine(question: OpenQuestion, terminal: Invocation['terminal']): string {
  return cutTo(stillOpenLines(question, terminal)[0] ?? '', maxColumns);
}

function printAnswer({ text, value }: RunResult, isWritten: boolean, terminal: Invocation['terminal']): void {
  const { width, color } = terminal;
  if (!isWritten || width === undefined)
    return printWhole(text !== '' || value === undefined ? text : asText(value), terminal);
  terminal.out(
    renderMarkdown(text, { width, color })
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** Formats the time and the cost of a run whose calls were already shown. */
function factsOf({ tree, ending }: Omit<Ended, 'result'>): readonly string[] {
  const { totalUsage: usage, updatedAt } = tree;
  return [
    runTimeText(tree, updatedAt),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    ...(ending === undefined ? [] : [ending]),
  ];
}

type Ended = Pick<Conclusion, 'result' | 'tree'> & { readonly ending: string | undefined };

function widthOfScreen({ live }: Invocation['terminal']): number {
  return (live?.screen().columns ?? Infinity) - 1;
}

/** Formats the run's summary, on one line if it fits. */
function lastLines({ result, tree, ending }: Ended, terminal: Invocation['terminal']): readonly string[] {
  const { counts, updatedAt, totalUsage: usage } = tree;
  const id = shortId(tree.runId);
  const used = [
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
  ];
  const parts = [
    `run ${id}`,
    result.status,
    counted(counts.frames + counts.leafCalls, 'call'),
    runTimeText(tree, updatedAt),
    ...(used.length === 0 ? [] : [used.join(' · ')]), // Keep the cost next to the tokens.
    ...(ending === undefined ? [] : [ending]),
  ];
  const width = widthOfScreen(terminal);
  const lines = wrapTo(parts, gap, width);
  if (ending !== undefined) return lines;
  const trace = `skilled trace ${id}`;
  const command = pasteable(`\`${trace}\``, terminal);
  const last = lines.at(-1) ?? '';
  const fits = widthOf(`${last}${gap}${spelled(trace, terminal)}`) <= width;
  // Never cut the command, so that it can be pasted.
  return fits ? [...lines.slice(0, -1), `${last}${gap}${command}`] : [...lines, command];
}

const gap = ' · ';
