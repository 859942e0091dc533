import {
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
import { interruptReason, onInterrupt } from './interrupt.ts';
import { awaitPreparations, createPreparationTeller } from './preparations.ts';
import { createRunView } from './run-view.ts';

/** A run that is to be seen through. */
export interface Undertaking {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Begins it, or takes it up. */
  begin(signal: AbortSignal): RunHandle;
  /** The place of the last event that was known before; none unless given. */
  readonly known?: number;
  /** It begins when no skill is being prepared any more: which one it will need is not known. */
  readonly awaitsPreparations?: boolean;
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
export async function seeToEnd(undertaking: Undertaking): Promise<RunOutcome> {
  const { agent, invocation, begin, known = 0, leavesQuestions = false, instead } = undertaking;
  let current: RunHandle | undefined;
  using interrupt = onInterrupt(() => sayResumable(current?.id, invocation));
  const { signal } = interrupt;
  if (undertaking.awaitsPreparations === true) await awaitPreparations(agent, invocation, signal);
  const approver = createApprover(agent, invocation);
  let last: RunEvent | undefined;
  let stillOpen: RunResult['stillOpen'];
  let seen = known;
  const isNew = (event: RunEvent): boolean => event.seq === 0 || event.seq > seen;
  for (let handle = begin(signal); ; handle = agent.runs.resume(handle.id, { signal })) {
    current = handle;
    const tree = await watch(handle);
    const result = { ...optional('stillOpen', stillOpen), ...(await handle.result) };
    stillOpen = result.stillOpen; // only who begins a run looks for it
    const stands = { agent, invocation, approver, signal, tree, result, leavesQuestions, instead };
    if (result.status === 'waiting' && (await goesOn(stands))) continue;
    const isToldToEnd = last?.type === 'run.ended' || last?.type === 'run.waiting';
    return { result: await settled(stands), tree, isToldToEnd, isInterrupted: signal.aborted };
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
      undertaking.hear?.(event);
    }
    return fold.tree;
  }
}

/** For whoever finds that the process was ended. */
function sayResumable(runId: string | undefined, invocation: Invocation): void {
  if (runId === undefined || invocation.flags.quiet) return;
  const { terminal } = invocation;
  terminal.err(pasteable(`The run can be resumed: \`skilled resume ${runId}\`\n`, terminal));
}

/** A run that stands still. */
interface Standing {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly approver: Approver;
  readonly signal: AbortSignal;
  readonly tree: RunTree;
  readonly result: RunResult;
  readonly leavesQuestions: boolean;
  readonly instead: Undertaking['instead'];
}

/** Whether a question was answered, or can be no more, so that the run can be taken up. */
async function goesOn(standing: Standing): Promise<boolean> {
  const { agent, invocation, approver, signal, tree, leavesQuestions, instead } = standing;
  if (await approver.settle()) return true;
  const { flags, terminal } = invocation;
  const question = tree.questions.find(({ kind }) => kind === 'approval' || !leavesQuestions);
  const { ask } = terminal;
  if (ask === undefined || flags.json || question === undefined) return false;
  const give = (answer: Json): Promise<void> => agent.runs.answer(tree.runId, answer, question.id);
  const turn = { agent, runId: tree.runId, question, instead };
  using late = untilLate(question.expires);
  const talk = { terminal, ask, signal: AbortSignal.any([signal, late.signal]), give };
  const isAnswered = await askPerson(question, { ...talk, divert: (words) => divertWords(turn, words) });
  return isAnswered || (late.signal.aborted && !signal.aborted);
}

/** Whoever interrupts a question ends its run. */
async function settled({ agent, signal, result }: Standing): Promise<RunResult> {
  if (result.status !== 'waiting' || !signal.aborted) return result;
  await agent.runs.cancel(result.runId, interruptReason);
  return agent.runs.result(result.runId);
}

const longestTimer = 2 ** 31 - 1; // milliseconds; nobody sits there for longer

/** A signal that is aborted at a moment, in milliseconds since 1970, unless it is disposed of before; never without one. */
function untilLate(expires: number | undefined): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const left = (expires ?? Infinity) - Date.now();
  const timer = left > longestTimer ? undefined : setTimeout(() => late.abort(), Math.max(0, left));
  return { signal: late.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Says on stderr what a skill notes as a warning: an answer that is not what it should be does not pass for one that is. */
function tellWarning(event: RunEvent, { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>): void {
  if (event.type !== 'note.added' || flags.json || flags.quiet) return;
  if (!isJsonObject(event.data) || event.data['level'] !== 'warning') return;
  terminal.err(`warning: ${pasteable(oneLine(event.message), terminal)}\n`);
}
