import {
  deadline,
  isJsonObject,
  optional,
  type Json,
  type RunEvent,
  type RunHandle,
  type RunResult,
} from '../../core/index.ts';
import { createRunFold, type RunTree } from '../../views/index.ts';
import { oneLine, pasteable, type Invocation, type RecursiveSkilledAgent } from '../command-kit.ts';
import { askPerson, divertWords } from './ask-person.ts';
import { createApprover, type Approver } from './decide.ts';
import { interruptReason, type Interrupt } from './interrupt.ts';
import { createPreparationTeller } from './preparations.ts';
import { createRunView } from './run-view.ts';

/** A run that a command started, and how it is shown. */
export interface RunTask {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly run: RunHandle;
  /** Its signal stops the run. */
  readonly interrupt: Interrupt;
  /** The place of the last event that was known before; none unless given. */
  readonly known?: number;
  /** Told of everything that happens and was not shown before. */
  readonly hear?: (event: RunEvent) => void;
  /** Carries out what is typed in the place of an answer; without it every line is one. */
  readonly instead?: (words: string) => Promise<void>;
  /** Only decisions are asked for: whoever began it answers its questions in another way. */
  readonly leavesQuestions?: true;
}

/** A run on which nobody works any more. */
export interface RunOutcome {
  readonly result: RunResult;
  readonly tree: RunTree;
  /** Whether its last event, the end or the wait, was shown. */
  readonly isToldToEnd: boolean;
  /** Ctrl+C. */
  readonly isInterrupted: boolean;
}

/** Shows a run until it ends or waits for somebody who is not here. */
export async function watchRun(task: RunTask): Promise<RunOutcome> {
  const { agent, invocation, interrupt, known = 0, leavesQuestions = false, instead } = task;
  const { signal } = interrupt;
  interrupt.beforeExit = () => sayResumable(task.run.id, invocation);
  const approver = createApprover(agent, invocation);
  let last: RunEvent | undefined;
  let stillOpen: RunResult['stillOpen'];
  let seen = known;
  const isNew = (event: RunEvent): boolean => event.seq === 0 || event.seq > seen;
  for (let handle = task.run; ; handle = agent.runs.resume(handle.id, { signal })) {
    const tree = await watch(handle);
    const result = { ...optional('stillOpen', stillOpen), ...(await handle.result) };
    stillOpen = result.stillOpen; // only who begins a run looks for it
    const paused = { agent, invocation, approver, signal, tree, result, leavesQuestions, instead };
    if (result.status === 'waiting' && (await isAnswered(paused))) continue;
    delete interrupt.beforeExit; // nothing is left to be resumed
    const isToldToEnd = last?.type === 'run.ended' || last?.type === 'run.waiting';
    return { result: await settled(paused), tree, isToldToEnd, isInterrupted: signal.aborted };
  }

  async function watch(handle: RunHandle): Promise<RunTree> {
    using view = createRunView(invocation);
    await using teller = createPreparationTeller(agent, invocation);
    const fold = createRunFold();
    for await (const event of handle.events) {
      fold.add(event);
      if (!isNew(event)) continue;
      seen = Math.max(seen, event.seq);
      last = event;
      view.see(event, fold.tree);
      approver.see(event, fold.tree);
      teller.see(event);
      tellWarning(event, invocation);
      task.hear?.(event);
    }
    return fold.tree;
  }
}

/** For whoever finds that the process ended. */
function sayResumable(runId: string, invocation: Invocation): void {
  if (invocation.flags.quiet) return;
  const { terminal } = invocation;
  terminal.err(pasteable(`The run can be resumed: \`skilled resume ${runId}\`\n`, terminal));
}

/** A run that waits or ended. */
interface PausedRun {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly approver: Approver;
  readonly signal: AbortSignal;
  readonly tree: RunTree;
  readonly result: RunResult;
  readonly leavesQuestions: boolean;
  readonly instead: RunTask['instead'];
}

/** Whether a question was answered, or expired, so that the run can be resumed. */
async function isAnswered(paused: PausedRun): Promise<boolean> {
  const { agent, invocation, approver, signal, tree, leavesQuestions, instead } = paused;
  if (await approver.settle()) return true;
  const { flags, terminal } = invocation;
  const question = tree.questions.find(({ kind }) => kind === 'approval' || !leavesQuestions);
  const { ask } = terminal;
  if (ask === undefined || flags.json || question === undefined) return false;
  const give = (answer: Json): Promise<void> => agent.runs.answer(tree.runId, answer, question.id);
  const turn = { agent, runId: tree.runId, question, instead };
  const { expires } = question;
  using limit = expires === undefined ? undefined : deadline(expires - Date.now(), undefined, signal);
  const over = limit?.signal ?? signal;
  const talk = { terminal, ask, signal: over, give };
  const hasAnswer = await askPerson(question, { ...talk, divert: (words) => divertWords(turn, words) });
  return hasAnswer || (over.aborted && !signal.aborted);
}

/** Ctrl+C at a question ends its run. */
async function settled({ agent, signal, result }: PausedRun): Promise<RunResult> {
  if (result.status !== 'waiting' || !signal.aborted) return result;
  await agent.runs.cancel(result.runId, interruptReason);
  return agent.runs.result(result.runId);
}

/** Says on stderr what a skill notes as a warning: an answer that is not what it should be does not pass for one that is. */
function tellWarning(event: RunEvent, { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  if (event.type !== 'note.added' || flags.json || flags.quiet) return;
  if (!isJsonObject(event.data) || event.data['level'] !== 'warning') return;
  terminal.err(`warning: ${pasteable(oneLine(event.message), terminal)}\n`);
}
