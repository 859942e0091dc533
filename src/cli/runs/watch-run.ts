import {
  deadline,
  isJsonObject,
  optional,
  type Json,
  type RunEvent,
  type RunHandle,
  type RunResult,
} from '../../core/index.ts';
import { createRunFold, evidenceText, type RunTree } from '../../views/index.ts';
import { oneLine, pasteable, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';
import { askPerson, divertRequest } from './ask-person.ts';
import { createApprover, type Approver } from './decide.ts';
import { interruptReason, type Interrupt } from './interrupt.ts';
import { createPreparationReporter } from './preparations.ts';
import { createRunView, type RunView } from './run-view.ts';

/** A run that a command started, and options for showing it. */
export interface RunTask {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly run: RunHandle;
  /** The interrupt whose signal stops the run. */
  readonly interrupt: Interrupt;
  /** The sequence number of the last event already shown. By default, no event has been shown. */
  readonly known?: number;
  /** Called with every event that has not been shown yet. */
  readonly hear?: (event: RunEvent) => void;
  /**
   * Handles input that does not answer a question. Without this function, every line is treated as an answer.
   */
  readonly instead?: (text: string) => Promise<void>;
  /**
   * Shows the run and its choice of a skill instead of the default view. It is called again whenever the run
   * continues.
   */
  readonly createView?: () => RunView;
  /** The skill whose first call the user typed completely, which needs no approval of the same user. */
  readonly typed?: string;
  /** Set if the terminal asks only for approvals here, because the caller handles all other questions. */
  readonly approvalsOnly?: true;
}

/** The outcome of a run that has stopped. */
export interface RunOutcome {
  readonly result: RunResult;
  readonly tree: RunTree;
  /** Whether the run's final or waiting event has already been shown. */
  readonly isEndShown: boolean;
  /** Whether Ctrl+C interrupted the run. */
  readonly isInterrupted: boolean;
  /** Whether a model wrote the answer, so that it may contain Markdown. */
  readonly isWritten: boolean;
}

/** Shows a run until it ends or needs input that cannot be requested in this terminal. */
export async function watchRun(task: RunTask): Promise<RunOutcome> {
  const { agent, invocation, interrupt, known = 0, approvalsOnly = false, instead } = task;
  const { signal } = interrupt;
  interrupt.beforeExit = () => sayResumable(task.run.id, invocation);
  const approver = createApprover(agent, invocation, task.typed);
  let last: RunEvent | undefined;
  let stillOpen: RunResult['stillOpen'];
  const written = new Set<string>();
  let lastSeq = known;
  const isNew = (event: RunEvent): boolean => event.seq === 0 || event.seq > lastSeq;
  for (let handle = task.run; ; handle = agent.runs.resume(handle.id, { signal })) {
    const tree = await watch(handle);
    const result = { ...optional('stillOpen', stillOpen), ...(await handle.result) };
    // Only the first result of a run contains `stillOpen`, so keep it when the run is resumed.
    stillOpen = result.stillOpen;
    const paused = { agent, invocation, approver, signal, tree, result, approvalsOnly, instead };
    if (result.status === 'waiting' && (await isAnswered(paused))) continue;
    delete interrupt.beforeExit; // The run has stopped, so the hint about resuming it is obsolete.
    const isEndShown = last?.type === 'run.ended' || last?.type === 'run.waiting';
    const ended = await settled(paused);
    const isWritten = written.has(ended.text.trim());
    return { result: ended, tree, isEndShown, isInterrupted: signal.aborted, isWritten };
  }

  async function watch(handle: RunHandle): Promise<RunTree> {
    using view = task.createView?.() ?? createRunView(invocation);
    await using reporter = createPreparationReporter(agent, invocation);
    const fold = createRunFold();
    for await (const event of handle.events) {
      fold.add(event);
      if (event.type === 'model.ended') written.add(event.reply.text.trim());
      if (!isNew(event)) continue;
      lastSeq = Math.max(lastSeq, event.seq);
      last = event;
      view.see(event, fold.tree);
      approver.see(event, fold.tree);
      reporter.see(event);
      printWarning(event, invocation);
      if (task.createView === undefined) printChoice(event, invocation);
      task.hear?.(event);
    }
    return fold.tree;
  }
}

/** Prints the command that resumes the run. Called when a signal other than Ctrl+C ends the process. */
function sayResumable(runId: string, invocation: Invocation): void {
  if (invocation.flags.quiet) return;
  const { terminal } = invocation;
  terminal.err(pasteable(`The run can be resumed: \`skilled resume ${runId}\`\n`, terminal));
}

/** A run that is waiting or has ended. */
interface PausedRun {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly approver: Approver;
  readonly signal: AbortSignal;
  readonly tree: RunTree;
  readonly result: RunResult;
  readonly approvalsOnly: boolean;
  readonly instead: RunTask['instead'];
}

/** Whether a question was answered or has expired, so that the run can be resumed. */
async function isAnswered(paused: PausedRun): Promise<boolean> {
  const { agent, invocation, approver, signal, tree, approvalsOnly, instead } = paused;
  if (await approver.settle()) return true;
  const { flags, terminal } = invocation;
  const question = tree.questions.find(({ kind }) => kind === 'approval' || !approvalsOnly);
  const { ask } = terminal;
  if (ask === undefined || flags.json || question === undefined) return false;
  const give = (answer: Json): Promise<void> => agent.runs.answer(tree.runId, answer, question.id);
  const turn = { agent, runId: tree.runId, question, instead };
  const { expires } = question;
  using limit = expires === undefined ? undefined : deadline(expires - Date.now(), undefined, signal);
  const over = limit?.signal ?? signal;
  const talk = { terminal, ask, signal: over, give, cwd: flags.cwd };
  const hasAnswer = await askPerson(question, { ...talk, divert: (text) => divertRequest(turn, text) });
  return hasAnswer || (over.aborted && !signal.aborted);
}

/** Returns the run's final result. Cancels the run if Ctrl+C was pressed at a question. */
async function settled({ agent, signal, result }: PausedRun): Promise<RunResult> {
  if (result.status !== 'waiting' || !signal.aborted) return result;
  await agent.runs.cancel(result.runId, interruptReason);
  return agent.runs.result(result.runId);
}

/** Prints to stderr why a skill was selected for a prompt that does not name one. */
function printChoice(event: RunEvent, { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  if (event.type !== 'skill.selected' || event.evidence === undefined || flags.json || flags.quiet) return;
  const line = `${event.skill}: ${evidenceText(event.evidence)}.`;
  terminal.err(`${pasteable(oneLine(line), terminal)}\n`);
}

/** Prints a skill's warnings to stderr, so that a flawed result is not mistaken for a good one. */
function printWarning(event: RunEvent, { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  if (event.type !== 'note.added' || flags.json || flags.quiet) return;
  if (!isJsonObject(event.data) || event.data['level'] !== 'warning') return;
  terminal.err(`warning: ${pasteable(oneLine(event.message), terminal)}\n`);
}
