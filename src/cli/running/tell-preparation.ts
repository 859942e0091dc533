import { setTimeout as pause } from 'node:timers/promises';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunSummary } from '../../core/store.ts';
import { settlesWithin } from '../settles-within.ts';

/** Whoever waits for a run that prepares a skill. */
export interface PreparationListener {
  /** Works now; called once, and not at all for what is over before anybody looks. */
  begun(run: RunSummary): void;
  /** Says something. */
  said(run: RunSummary, message: string): void;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

const lookEvery = 50; // milliseconds

/** Tells what a run that prepares a skill says while it works, here or in another process; resolves when it is over or nobody waits. Never rejects. */
export async function tellPreparation(
  { runs }: Pick<RecursiveSkilledAgent, 'runs'>,
  runId: string,
  listener: PreparationListener,
): Promise<void> {
  const { signal } = listener;
  try {
    const run = await workedOn();
    if (run === undefined) return;
    listener.begun(run);
    const events = runs.follow(runId);
    while (true) {
      const next = events.next();
      next.catch(() => undefined); // nobody may wait for it any more
      if (!(await settlesBefore(next))) return;
      const { done, value: event } = await next;
      if (done === true) return;
      if (event.type === 'note.added') listener.said(run, event.message);
    }
  } catch {
    // That nothing can be read of it is told by the run that needs it.
  }

  /** What ended before is of an earlier time: it is replaced, or there is nothing to do. */
  async function workedOn(): Promise<RunSummary | undefined> {
    while (!signal.aborted) {
      const [run] = await runs.list({ ids: [runId] });
      if (run?.status === 'running' && run.prepares !== undefined) return run; // one that was only claimed has no events
      await pause(lookEvery);
    }
    return undefined;
  }

  /** The last words of a preparation that is over are still on their way. */
  async function settlesBefore(next: Promise<unknown>): Promise<boolean> {
    while (!signal.aborted) if (await settlesWithin(next, lookEvery)) return true;
    return settlesWithin(next, 4 * lookEvery);
  }
}
