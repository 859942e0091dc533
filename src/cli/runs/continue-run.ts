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
import { createPreparationReporter } from './preparations.ts';
import { conclude, printOutcome } from './print-outcome.ts';
import { createRunView } from './run-view.ts';

/** Options for continuing a run. */
interface Continuation {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Whether an answer or a decision was just given to the run. */
  readonly isSaid: boolean;
}

/**
 * Follows a run until no other process is working on it. Then resumes it or prints its status. Returns the
 * exit code.
 */
export async function continueRun(work: Continuation, run: RunSummary, known: number): Promise<number> {
  const { agent, invocation, isSaid } = work;
  const takeOver = invocation.own['take-over'] === true;
  if (run.status === 'running' && !takeOver) {
    const { tree, known: lastSeq, isStopped } = await followElsewhere(agent, invocation, run, known);
    if (!isStopped) return continueRun(work, await agent.runs.find(run.id), lastSeq);
    const result = { ...resultOf(tree), ok: false, status: 'running' } as const;
    return conclude({ result, tree, isEndShown: false }, invocation);
  }
  if (!hasEnded(run.status)) mustKnowSkill(agent, invocation, run, isSaid);
  const events = hasEnded(run.status) ? [] : await agent.runs.events(run.id);
  const missing = await missingModel(invocation, events, isSaid);
  const isLeft = run.status === 'waiting' && !isSaid && !isAnybodyHere(invocation);
  if (isLeft && missing !== undefined) return printWaiting(invocation, events);
  if (missing !== undefined) throw missing;
  const isStill = hasEnded(run.status) || run.status === 'waiting';
  using interrupt = onInterrupt();
  return await printOutcome({
    agent,
    invocation,
    interrupt,
    run: agent.runs.resume(run.id, { signal: interrupt.signal, takeOver }),
    // `--stream` prints a stopped run's last event again, because that event contains the run's status.
    known: isStill && !isSaid ? Math.min(known, run.seq - 1) : known,
  });
}

function isAnybodyHere({ flags, terminal }: Invocation): boolean {
  return terminal.ask !== undefined && !flags.json;
}

/** Prints what a run is waiting for, without changing the run. */
function printWaiting(invocation: Invocation, events: readonly RunEvent[]): number {
  const { flags, own, terminal } = invocation;
  const tree = foldRun(events);
  const last = events.at(-1);
  const isStreamed = flags.json && own['stream'] === true && last !== undefined;
  if (isStreamed) terminal.out(eventLine(last));
  return conclude({ result: resultOf(tree), tree, isEndShown: isStreamed }, invocation);
}

/** The result of following a run. */
interface Followed {
  readonly tree: RunTree;
  /** The sequence number of the last event that was shown. */
  readonly known: number;
  /** Whether Ctrl+C stopped the command from following the run. The run itself continues. */
  readonly isStopped: boolean;
}

/**
 * Shows a run until the other process that is working on it stops. Ctrl+C stops showing the run but does not
 * cancel it. The run's final event is left to the code that prints the outcome.
 */
async function followElsewhere(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { id, owner }: RunSummary,
  known: number,
): Promise<Followed> {
  using interrupt = onInterrupt(); // Handle Ctrl+C before printing the message that mentions it.
  const { flags, terminal } = invocation;
  const say = (line: string): void => {
    if (!flags.quiet) terminal.err(`${pasteable(line, terminal)}\n`);
  };
  say(
    `Following a run in another process (${oneLine(owner)}). Ctrl+C stops following; \`skilled runs cancel ${id}\` cancels the run.`,
  );
  using view = createRunView(invocation);
  await using reporter = createPreparationReporter(agent, invocation);
  const { signal } = interrupt;
  const approver = createApprover(agent, invocation);
  const fold = createRunFold();
  const reportSilence = once(say);
  const coming = agent.runs.follow(id);
  let lastSeq = known;
  while (true) {
    const next = coming.next();
    next.catch(() => undefined); // Prevents an unhandled rejection after Ctrl+C.
    while (!(await settlesWithin(lookEvery, next, signal)) && !signal.aborted) {
      const [run] = await agent.runs.list({ ids: [id] });
      if (run !== undefined) reportSilence(silenceOf(run));
    }
    if (signal.aborted) return { tree: fold.tree, known: lastSeq, isStopped: true };
    const item = await next;
    if (item.done === true) break;
    see(item.value);
  }
  await approver.settle();
  return { tree: fold.tree, known: lastSeq, isStopped: false };

  function see(event: RunEvent): void {
    fold.add(event);
    if (event.seq <= lastSeq || event.type === 'run.ended' || event.type === 'run.waiting') return;
    lastSeq = event.seq;
    view.see(event, fold.tree);
    reporter.see(event);
    approver.see(event, fold.tree);
  }
}

const lookEvery = 1_000; // The polling interval, in milliseconds.
// The time without a heartbeat after which a run's owner is reported, in milliseconds. A live owner sends
// several heartbeats per second.
const longSilence = 2_000;

/** Returns a message if the run's owner has sent no heartbeat for a while, and undefined otherwise. */
function silenceOf({ owner, beatAt, status }: RunSummary): string | undefined {
  const silence = Date.now() - beatAt;
  if (status !== 'running' || silence < longSilence) return undefined;
  const seconds = Math.round(silence / 1_000);
  return `No sign of ${oneLine(owner)} for ${seconds} s; it is considered gone after ${silentAfter / 1_000} s. --take-over does not wait.`;
}

function once(say: (line: string) => void): (line: string | undefined) => void {
  let isSaid = false;
  return (line) => {
    if (line === undefined || isSaid) return;
    isSaid = true;
    say(line);
  };
}
