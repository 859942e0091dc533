import {
  AgentError,
  adHocName,
  hasEnded,
  pause,
  reasonOf,
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
import { isOvertaken, noSuchRun, type Stop } from './stop.ts';

/**
 * Takes up a run that waits for an answer which nobody can give any more, so that it goes on without; never rejects.
 * Whoever works on a run sees to it by themselves.
 */
export async function letExpire(
  kernel: Kernel,
  runId: string,
  options: Pick<TakeUpOptions, 'signal'> = {},
): Promise<Stop | undefined> {
  try {
    const [run] = await kernel.store.runs({ ids: [runId], status: ['waiting'] });
    if (run === undefined) return undefined;
    const asked = openQuestions(await readLog(kernel.store, runId));
    const now = kernel.now();
    const isDue = asked.some((one) => one.type === 'input.requested' && isLate(one, now));
    return isDue ? await takeUp(kernel, runId, options) : undefined;
  } catch {
    return undefined; // a process that knows its skills, or whose store does not fail, does it when it comes across the run
  }
}

const lookEvery = 100; // milliseconds

/** How a run is taken up. */
export interface TakeUpOptions {
  readonly listener?: Listener;
  readonly signal?: AbortSignal;
  /** Also while another process works on it, which then cannot write any more. */
  readonly takeOver?: boolean;
}

/**
 * Works on a run that began before; one that ended is only read. While somebody else works on it, here or in another
 * process, it is followed, and taken up when that one stops with an answer still to be used.
 */
export async function takeUp(kernel: Kernel, runId: string, options: TakeUpOptions): Promise<Stop> {
  const heard = hearOnce(options.listener);
  const { signal, takeOver = false } = options;
  while (true) {
    if (kernel.closing.aborted) return { why: 'broken', error: toErrorData(kernel.closing.reason) };
    const summary = await summaryOf(kernel, runId);
    const { status } = summary;
    await hear(kernel, runId, heard);
    if (hasEnded(status)) return { why: 'ended' };
    const isIdle = status === 'waiting' && !(await mayGoOn(kernel, runId, heard));
    // Where the wait is not its last event, another process has resumed it since the look at its status.
    if (isIdle && heard.events.at(-1)?.type === 'run.waiting') return { why: 'waiting' };
    if (!isIdle && (status !== 'running' || takeOver)) {
      checkSkills(kernel, runId, heard.events);
      const held = takeOver ? undefined : summary;
      const stop = await executeRun(kernel, runId, { signal, listener: heard.take, held }).catch(asStop);
      // Two may take up a run at the same moment; the one that came too late follows the other.
      if (stop.why !== 'elsewhere' && (!isOvertaken(stop) || takeOver)) return stop;
    }
    if (signal?.aborted === true) await cancelRun(kernel, runId, reasonOf(signal.reason));
    else await pause(lookEvery, kernel.closing);
  }
}

interface Heard {
  readonly take: Listener;
  /** The place of the last event that was heard. */
  readonly last: number;
  readonly events: readonly RunEvent[];
}

/** A run may be read by several processes in turn; its listener hears of each event once. */
function hearOnce(listener: Listener = () => undefined): Heard {
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

async function hear({ store }: Kernel, runId: string, heard: Heard): Promise<void> {
  for await (const event of store.read(runId, heard.last + 1)) heard.take(event);
}

/** Whether there is an answer to use, one that comes too late, or a decision that the policy of today may not ask for any more. */
async function mayGoOn(kernel: Kernel, runId: string, heard: Heard): Promise<boolean> {
  const given = await kernel.store.entries(answerSpace(runId));
  const now = kernel.now();
  return openQuestions(heard.events).some(
    (asked) => given.has(asked.id) || asked.type === 'approval.requested' || isLate(asked, now),
  );
}

/** A process that does not know the skills of a run must not touch it: their calls would fail for good. */
function checkSkills({ registry }: Kernel, runId: string, events: readonly RunEvent[]): void {
  const state = new RunState();
  for (const event of events) state.add(event);
  const selected =
    events.find((event) => event.type === 'skill.selected')?.skill ?? state.started?.skill ?? '';
  const open = state.openBelow('').filter(({ started }) => started.provided !== true); // its caller provides it again
  const names = [...open.map(({ started }) => started.skill), selected];
  const unknown = names.find((name) => name !== adHocName && registry().lookup.find(name) === undefined);
  const isBegun = state.frames.size > 0;
  if (unknown === undefined || !isBegun) return;
  throw new AgentError('skill.not-found', `"${unknown}", which run ${runId} needs, is not known here.`, {
    hint: 'Resume the run where that skill is registered.',
  });
}

async function summaryOf({ store }: Kernel, runId: string): Promise<RunSummary> {
  const [run] = await store.runs({ ids: [runId] });
  if (run === undefined) throw noSuchRun(runId);
  return run;
}

function asStop(thrown: unknown): Stop {
  const stop: Stop = { why: 'broken', error: toErrorData(thrown) };
  if (isOvertaken(stop)) return stop;
  throw thrown;
}
