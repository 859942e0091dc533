import {
  AgentError,
  abortReason,
  isAssistant,
  hasEnded,
  nearHint,
  pause,
  toErrorData,
  type RunEvent,
  type RunSummary,
} from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import type { Listener } from '../log/journal.ts';
import { isLate, openQuestions, readLog } from '../log/read-log.ts';
import { RunState } from '../log/run-state.ts';
import { answerSpace } from '../questions/answers.ts';
import { cancelRun } from './cancel.ts';
import { executeRun } from './execute-run.ts';
import { isClaimLost, noSuchRun, type Stop } from './stop.ts';

/**
 * Resumes a run whose question has expired. The run continues without an answer. Does nothing if a process is
 * already working on the run. Never rejects.
 */
export async function letExpire(
  kernel: Kernel,
  runId: string,
  options: Pick<ResumeRunOptions, 'signal'> = {},
): Promise<Stop | undefined> {
  try {
    const [run] = await kernel.store.runs({ ids: [runId], status: ['waiting'] });
    if (run === undefined) return undefined;
    const asked = openQuestions(await readLog(kernel.store, runId));
    const now = kernel.now();
    const isDue = asked.some((one) => one.type === 'input.requested' && isLate(one, now));
    return isDue ? await resumeRun(kernel, runId, options) : undefined;
  } catch {
    // Ignore the error: any process that has the run's skills and a working store can continue the run later.
    return undefined;
  }
}

const lookEvery = 100; // The polling interval in milliseconds.

/** Options for resuming a run. */
export interface ResumeRunOptions {
  readonly listener?: Listener;
  readonly signal?: AbortSignal;
  /** Whether to take over the run from another process. That process can then no longer write to the run. */
  readonly takeOver?: boolean;
}

/**
 * Continues a run that began earlier. If the run has ended, only reads its events. If another process is
 * working on the run, follows the events; if that process stops while an answer is still unused, resumes the
 * run.
 */
export async function resumeRun(kernel: Kernel, runId: string, options: ResumeRunOptions): Promise<Stop> {
  const received = hearOnce(options.listener);
  const { signal, takeOver = false } = options;
  await kernel.live.release(); // The store may have failed while this process was releasing the run.
  while (true) {
    if (kernel.closing.aborted) return { why: 'broken', error: toErrorData(kernel.closing.reason) };
    const summary = await summaryOf(kernel, runId);
    const { status } = summary;
    await hear(kernel, runId, received);
    if (hasEnded(status)) return { why: 'ended' };
    const isIdle = status === 'waiting' && !(await mayResume(kernel, runId, received));
    // An event after `run.waiting` means that another process has resumed the run since the status check.
    if (isIdle && received.events.at(-1)?.type === 'run.waiting') return { why: 'waiting' };
    if (!isIdle && (status !== 'running' || takeOver)) {
      checkSkills(kernel, runId, received.events);
      const held = takeOver ? undefined : summary;
      const stop = await executeRun(kernel, runId, { signal, listener: received.take, held }).catch(asStop);
      // If two processes resume a run at the same time, the slower one follows the other.
      if (stop.why !== 'elsewhere' && (!isClaimLost(stop) || takeOver)) return stop;
    }
    if (signal?.aborted === true) await cancelRun(kernel, runId, abortReason(signal));
    else await pause(lookEvery, kernel.closing);
  }
}

interface ReceivedEvents {
  readonly take: Listener;
  /** The sequence number of the last event received. */
  readonly last: number;
  readonly events: readonly RunEvent[];
}

/** Passes each event to the listener only once, even if several processes continue the run in turn. */
function hearOnce(listener: Listener = () => undefined): ReceivedEvents {
  const events: RunEvent[] = [];
  return {
    events,
    get last() {
      return events.at(-1)?.seq ?? 0;
    },
    take(event) {
      if (event.seq > 0) {
        if (event.seq <= (events.at(-1)?.seq ?? 0)) return;
        events.push(event);
      }
      listener(event);
    },
  };
}

async function hear({ store }: Kernel, runId: string, received: ReceivedEvents): Promise<void> {
  for await (const event of store.read(runId, received.last + 1)) received.take(event);
}

/**
 * Whether a run may continue: it has an unused answer, its question has expired, or the policy may no longer
 * require an approval.
 */
async function mayResume(kernel: Kernel, runId: string, received: ReceivedEvents): Promise<boolean> {
  const given = await kernel.store.entries(answerSpace(runId));
  const now = kernel.now();
  return openQuestions(received.events).some(
    (asked) => given.has(asked.id) || asked.type === 'approval.requested' || isLate(asked, now),
  );
}

/** Throws if a run's skills are not registered here, because continuing would make their calls fail. */
function checkSkills({ registry }: Kernel, runId: string, events: readonly RunEvent[]): void {
  const state = new RunState();
  for (const event of events) state.add(event);
  const selected =
    events.find((event) => event.type === 'skill.selected')?.skill ?? state.started?.skill ?? '';
  // Ignore skills that a caller provides, because the caller will provide them again.
  const open = state.openBelow('').filter(({ started }) => started.provided !== true);
  const names = [...open.map(({ started }) => started.skill), selected];
  const unknown = names.find((name) => !isAssistant(name) && registry().lookup.find(name) === undefined);
  const isBegun = state.frames.size > 0;
  if (unknown === undefined || !isBegun) return;
  const near = registry().lookup.near(unknown);
  const hint = 'Register the skill, or resume the run in a process where it is registered.';
  throw new AgentError(
    'skill.not-found',
    `Run ${runId} needs the skill "${unknown}", which is not registered.`,
    { hint: [hint, nearHint(near)].filter(Boolean).join(' '), details: { near: [...near] } },
  );
}

async function summaryOf({ store }: Kernel, runId: string): Promise<RunSummary> {
  const [run] = await store.runs({ ids: [runId] });
  if (run === undefined) throw noSuchRun(runId);
  return run;
}

function asStop(thrown: unknown): Stop {
  const stop: Stop = { why: 'broken', error: toErrorData(thrown) };
  if (isClaimLost(stop)) return stop;
  throw thrown;
}
