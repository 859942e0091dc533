import { exitCodeOf } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { OpenQuestion, RunResult } from '../../core/run.ts';
import { count } from '../../doctor/count.ts';
import { moneyText, tokensText } from '../../views/amounts.ts';
import type { RunTree } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import { withHint } from '../hints.ts';
import { errorText } from '../output/error.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { printWhole } from '../output/print-whole.ts';
import { runTimeText } from '../output/run-time.ts';
import { cutTo } from '../output/text.ts';
import { drawTree } from '../output/tree.ts';
import { shortId } from '../short-id.ts';
import { stillOpenLines, waitingLines } from './question-text.ts';

/** What a run came to when nobody works on it any more. */
export interface Conclusion {
  readonly result: RunResult;
  readonly tree: RunTree;
  /** Whether its last event, the end or the wait, was shown. */
  readonly isToldToEnd: boolean;
  /** Prints a result that is done, where that is neither its text nor its document. */
  readonly tell?: (result: RunResult) => void;
  /** What a run waits for, where it is not answered by another command. */
  readonly waits?: readonly string[];
}

/** Prints what a run came to; returns the exit code. */
export function conclude(concluded: Conclusion, invocation: Invocation): number {
  const { tree, isToldToEnd, tell } = concluded;
  const { error } = concluded.result;
  const result = { ...concluded.result, ...optional('error', error && withHint(error)) };
  const { flags, own, terminal } = invocation;
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

function printText({ result, tree, tell, waits }: Conclusion, invocation: Invocation): void {
  const { flags, terminal } = invocation;
  const say = (lines: readonly string[]): void => terminal.err(lines.map((line) => `${line}\n`).join(''));
  const { frames, leafCalls } = tree.counts;
  if (terminal.live !== undefined && !flags.quiet && frames + leafCalls > 1) {
    say(drawTree(tree, { now: Date.now(), width: terminal.live.screen().columns, terminal }));
  }
  if (result.ok && tell !== undefined) tell(result);
  else if (result.ok) printAnswer(result, terminal);
  else if (result.error !== undefined) terminal.err(errorText(result.error));
  else if (result.status === 'waiting') say(waits ?? waitingLines(result.runId, tree.questions, invocation));
  else say(['The run goes on in another process.']);
  if (flags.quiet) return;
  if (result.stillOpen !== undefined) say([stillOpenLine(result.stillOpen)]);
  if (tree.runId !== '') say([lastLine(result, tree)]);
}

const mostColumns = 500;

function stillOpenLine(question: OpenQuestion): string {
  return cutTo(stillOpenLines(question)[0] ?? '', mostColumns);
}

function printAnswer({ text, value }: RunResult, terminal: Invocation['terminal']): void {
  printWhole(text !== '' || value === undefined ? text : asText(value), terminal);
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lastLine({ status }: RunResult, tree: RunTree): string {
  const { counts, updatedAt, totalUsage: usage } = tree;
  const id = shortId(tree.runId);
  const parts = [
    `run ${id}`,
    status,
    count(counts.frames + counts.leafCalls, 'call'),
    runTimeText(tree, updatedAt),
    ...(usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
    `skilled trace ${id}`,
  ];
  return parts.join(' · ');
}
