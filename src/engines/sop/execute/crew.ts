import type { CommandCall } from '../command.ts';
import { createReadyQueue } from './ready-queue.ts';
import type { Work } from './work.ts';

/** Has work done, so much of it at the same time and no more. */
export interface Crew {
  add(work: Work): void;
  /** Lets work begin while there is a place: the first in the order of the plan first. */
  begin(): void;
  /** Nothing begins any more, and what is under way is aborted. */
  dismiss(): void;
  /** Whether nothing is under way, and nothing can begin. */
  isIdle(): boolean;
}

/** How a crew works; `onEnd` is told after the place of a work is free again. */
export interface CrewWays<Result> {
  readonly places: number;
  perform(work: Work, ways: Pick<CommandCall, 'signal' | 'waits'>): Promise<Result>;
  onEnd(work: Work, result: Result): void;
  /** What neither of them should throw. */
  onBug(thrown: unknown): void;
}

/** A crew without work. */
export function createCrew<Result>({ places, perform, onEnd, onBug }: CrewWays<Result>): Crew {
  const ready = createReadyQueue();
  const underWay = new Map<Work, AbortController>();
  const waiting = new Set<Work>();
  let alone: Work | undefined;
  let isDismissed = false;

  const start = async (work: Work): Promise<void> => {
    const controller = new AbortController();
    underWay.set(work, controller);
    if (work.step.runs.isSequential === true) alone = work;
    const result = await perform(work, { signal: controller.signal, waits: () => makeRoom(work) });
    underWay.delete(work);
    waiting.delete(work);
    if (alone === work) alone = undefined;
    onEnd(work, result);
  };

  /** What waits for a person may do so for days. */
  const makeRoom = (work: Work): void => {
    if (!underWay.has(work)) return;
    waiting.add(work);
    if (alone === work) alone = undefined;
    begin();
  };

  const begin = (): void => {
    while (!isDismissed && underWay.size - waiting.size < places) {
      const work = ready.take(alone === undefined);
      if (work === undefined) return;
      start(work).catch(onBug);
    }
  };

  return {
    add: (work) => ready.add(work),
    begin,
    dismiss() {
      isDismissed = true;
      for (const controller of underWay.values()) controller.abort();
    },
    isIdle: () => underWay.size === 0 && (isDismissed || ready.size === 0),
  };
}
