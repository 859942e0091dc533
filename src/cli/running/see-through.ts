import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { RunHandle } from '../../core/run-handle.ts';
import type { RunResult } from '../../core/run.ts';
import { createRunFold, type RunTree } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import { sameModels } from '../same-models.ts';
import { createApprover, type Approver } from './approver.ts';
import { askPerson } from './ask-person.ts';
import { conclude } from './conclude.ts';
import { interruptReason, onInterrupt } from './interrupt.ts';
import { createRunView } from './run-view.ts';

/** A run that is to be seen through. */
export interface Undertaking {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Begins it, or takes it up. */
  begin(signal: AbortSignal): RunHandle;
  /** The place of the last event that was known before; none unless given. */
  readonly known?: number;
  /** Prints what it came to when it is done, where that is neither its text nor its document. */
  readonly tell?: (result: RunResult) => void;
  /** Says on stderr what else is to be known of it, before it is told what it came to. */
  readonly comment?: (result: RunResult) => void;
}

/** Shows a run until it ends or waits for somebody who is not here, then prints what it came to; returns the exit code. */
export async function seeThrough(undertaking: Undertaking): Promise<number> {
  const { agent, invocation, begin, known = 0, tell, comment } = undertaking;
  let runId: string | undefined;
  using interrupt = onInterrupt(() => sayResumable(runId, invocation));
  const { signal } = interrupt;
  const approver = createApprover(agent, invocation);
  let last: RunEvent | undefined;
  let seen = known;
  const isNew = (event: RunEvent): boolean => event.seq === 0 || event.seq > seen;
  for (let handle = begin(signal); ; handle = agent.runs.resume(handle.id, { signal })) {
    runId = handle.id;
    const tree = await watch(handle);
    const result = await handle.result;
    const stands = { agent, invocation, approver, signal, tree, result };
    if (result.status === 'waiting' && (await goesOn(stands))) continue;
    const isToldToEnd = last?.type === 'run.ended' || last?.type === 'run.waiting';
    const ended = await settled(stands);
    comment?.(ended);
    return conclude({ result: ended, tree, isToldToEnd, ...optional('tell', tell) }, invocation);
  }

  async function watch(handle: RunHandle): Promise<RunTree> {
    using view = createRunView(invocation);
    const fold = createRunFold();
    for await (const event of handle.events) {
      fold.add(event);
      if (!isNew(event)) continue;
      seen = Math.max(seen, event.seq);
      last = event;
      view.see(event, fold.tree);
      approver.see(event, fold.tree);
    }
    return fold.tree;
  }
}

/** For whoever finds that the process was ended. */
function sayResumable(runId: string | undefined, invocation: Invocation): void {
  if (runId === undefined || invocation.flags.quiet) return;
  invocation.terminal.err(`The run can be resumed: skilled resume ${runId}${sameModels(invocation)}\n`);
}

/** A run that stands still. */
interface Standing {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly approver: Approver;
  readonly signal: AbortSignal;
  readonly tree: RunTree;
  readonly result: RunResult;
}

/** Whether a question was answered, so that the run can be taken up. */
async function goesOn({ agent, invocation, approver, signal, tree }: Standing): Promise<boolean> {
  if (await approver.settle()) return true;
  const { flags, terminal } = invocation;
  const [question] = tree.questions;
  const { ask } = terminal;
  if (ask === undefined || flags.json || question === undefined) return false;
  const give = (answer: Json): Promise<void> => agent.runs.answer(tree.runId, answer, question.id);
  return askPerson(question, { terminal, ask, signal, give });
}

/** Whoever interrupts a question ends its run. */
async function settled({ agent, signal, result }: Standing): Promise<RunResult> {
  if (result.status !== 'waiting' || !signal.aborted) return result;
  await agent.runs.cancel(result.runId, interruptReason);
  return agent.runs.result(result.runId);
}
