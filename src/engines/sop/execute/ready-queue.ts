import { createHeap } from './heap.ts';
import type { Work } from './work.ts';

/** Work that only waits for a place, handed out in the order of the plan and of the items. */
export interface ReadyQueue {
  readonly size: number;
  add(work: Work): void;
  /** The first one; `withSequential` is false while one of those runs that must not run beside each other. */
  take(withSequential: boolean): Work | undefined;
}

/** A queue with nothing in it; adding and taking cost the logarithm of its size. */
export function createReadyQueue(): ReadyQueue {
  const free = createHeap(isBefore);
  const sequential = createHeap(isBefore);
  return {
    get size() {
      return free.size + sequential.size;
    },
    add: (work) => (work.step.runs.isSequential === true ? sequential : free).add(work),
    take(withSequential) {
      const [one, other] = [free.first(), withSequential ? sequential.first() : undefined];
      if (one === undefined && other === undefined) return undefined;
      const isFree = other === undefined || (one !== undefined && isBefore(one, other));
      return (isFree ? free : sequential).take();
    },
  };
}

function isBefore(one: Work, other: Work): boolean {
  if (one.step.order !== other.step.order) return one.step.order < other.step.order;
  return (one.index ?? 0) < (other.index ?? 0);
}
