import { hasEnded, settlesWithin, silentAfter, type RunEvent, type RunSummary } from '../../core/index.ts';
import { createRunFold, foldRun, resultOf, type RunTree } from '../../views/index.ts';
import {
  eventLine,
  oneLine,
  pasteable,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../command-kit.ts';
import { createApprover } from './decide.ts';
import { onInterrupt } from './interrupt.ts';
import { missingModel, mustKnowSkill } from './preconditions.ts';
import { createPreparationTeller } from './preparations.ts';
import { conclude, printOutcome } from './print-outcome.ts';
import { createRunView } from './run-view.ts';

/** What a command line does with a run that began before. */
interface Continuation {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Something was said to the run. */
  readonly isSaid: boolean;
}

/** Follows a run while another process works on it, then works on it, or tells how it stands; returns the exit code. */
export async function goOn(work: Continuation, run: RunSummary, known: number): Promise<number> {
  const { agent, invocation, isSaid } = work;
  const takeOver = invocation.own['take-over'] === true;
  if (run.status === 'running' && !takeOver) {
    const { tree, known: seen, isStopped } = await followElsewhere(agent, invocation, run, known);
    if (!isStopped) return goOn(work, await agent.runs.find(run.id), seen);
    const result = { ...resultOf(tree), ok: false, status: 'running' } as const;
    return conclude({ result, tree, isToldToEnd: false }, invocation);
  }
  if (!hasEnded(run.status)) mustKnowSkill(agent, invocation, run, isSaid);
  const events = hasEnded(run.status) ? [] : await agent.runs.events(run.id);
  const missing = await missingModel(invocation, events, isSaid);
  const isLeft = run.status === 'waiting' && !isSaid && !isAnybodyHere(invocation);
  if (isLeft && missing !== undefined) return tell(invocation, events);
  if (missing !== undefined) throw missing;
  const isStill = hasEnded(run.status) || run.status === 'waiting';
  using interrupt = onInterrupt();
  return await printOutcome({
    agent,
    invocation,
    interrupt,
    run: agent.runs.resume(run.id, { signal: interrupt.signal, takeOver }),
    // Of a run that stands still the last event says how; whoever streams gets that.
    known: isStill && !isSaid ? Math.min(known, run.seq - 1) : known,
  });
}

function isAnybodyHere({ flags, terminal }: Invocation): boolean {
  return terminal.ask !== undefined && !flags.json;
}

/** Prints what a run waits for, and leaves it as it is. */
function tell(invocation: Invocation, events: readonly RunEvent[]): number {
  const { flags, own, terminal } = invocation;
  const tree = foldRun(events);
  const last = events.at(-1);
  const isStreamed = flags.json && own['stream'] === true && last !== undefined;
  if (isStreamed) terminal.out(eventLine(last));
  return conclude({ result: resultOf(tree), tree, isToldToEnd: isStreamed }, invocation);
}

/** How far a run was followed. */
interface Followed {
  readonly tree: RunTree;
  /** The place of the last event that was shown. */
  readonly known: number;
  /** Ctrl+C; the run goes on. */
  readonly isStopped: boolean;
}

/**
 * Shows a run that another process works on until that one stops, or until Ctrl+C, which only ends the watching. The last
 * event, the end or the wait, is left to whoever tells what the run came to.
 */
async function followElsewhere(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { id, owner }: RunSummary,
  known: number,
): Promise<Followed> {
  using interrupt = onInterrupt(); // before anybody is told of Ctrl+C
  const { flags, terminal } = invocation;
  const say = (line: string): void => {
    if (!flags.quiet) terminal.err(`${pasteable(line, terminal)}\n`);
  };
  say(
    `Another process (${oneLine(owner)}) works on it; following. Ctrl+C stops following; \`skilled runs cancel ${id}\` ends it.`,
  );
  using view = createRunView(invocation);
  await using teller = createPreparationTeller(agent, invocation);
  const { signal } = interrupt;
  const approver = createApprover(agent, invocation);
  const fold = createRunFold();
  const tellSilence = once(say);
  const coming = agent.runs.follow(id);
  let seen = known;
  while (true) {
    const next = coming.next();
    next.catch(() => undefined); // after Ctrl+C nobody waits for it
    while (!(await settlesWithin(lookEvery, next, signal)) && !signal.aborted) {
      const [run] = await agent.runs.list({ ids: [id] });
      if (run !== undefined) tellSilence(silenceOf(run));
    }
    if (signal.aborted) return { tree: fold.tree, known: seen, isStopped: true };
    const item = await next;
    if (item.done === true) break;
    see(item.value);
  }
  await approver.settle();
  return { tree: fold.tree, known: seen, isStopped: false };

  function see(event: RunEvent): void {
    fold.add(event);
    if (event.seq <= seen || event.type === 'run.ended' || event.type === 'run.waiting') return;
    seen = event.seq;
    view.see(event, fold.tree);
    teller.see(event);
    approver.see(event, fold.tree);
  }
}

const lookEvery = 1_000; // milliseconds
const longSilence = 2_000; // milliseconds; an owner that is there says so several times a second

/** That the owner of a run was not heard of for a while; undefined when it was. */
function silenceOf({ owner, beatAt, status }: RunSummary): string | undefined {
  const silence = Date.now() - beatAt;
  if (status !== 'running' || silence < longSilence) return undefined;
  const seconds = Math.round(silence / 1_000);
  return `${oneLine(owner)} was last heard of ${seconds} s ago; waiting until it is surely gone (${silentAfter / 1_000} s). --take-over does not wait.`;
}

function once(say: (line: string) => void): (line: string | undefined) => void {
  let isSaid = false;
  return (line) => {
    if (line === undefined || isSaid) return;
    isSaid = true;
    say(line);
  };
}
