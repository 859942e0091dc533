import type { CommandCall } from '../index.ts';
import type { StepWork } from './work.ts';

/**
 * Runs a limited number of steps at once. The limiter of `core` does not fit: a free slot goes to the first step in the
 * order of the plan, sequential steps never run beside each other, and a step that waits for a person gives up its slot.
 */
interface WorkerPool {
  add(work: StepWork): void;
  /** Starts work while a slot is free, the first in the order of the plan first. */
  begin(): void;
  /** Starts nothing more, and aborts what is running. */
  dismiss(): void;
  /** Whether nothing is running and nothing can start. */
  isIdle(): boolean;
}

/** How a pool runs work; `onEnd` is called after the slot is free again. */
interface WorkerPoolOptions<Result> {
  readonly slots: number;
  perform(work: StepWork, ways: Pick<CommandCall, 'signal' | 'waits'>): Promise<Result>;
  onEnd(work: StepWork, result: Result): void;
  /** Called with anything that one of them throws, which is a bug. */
  onBug(thrown: unknown): void;
}

/** A pool without work. */
export function createWorkerPool<Result>({
  slots,
  perform,
  onEnd,
  onBug,
}: WorkerPoolOptions<Result>): WorkerPool {
  const ready = createReadyQueue();
  const underWay = new Map<StepWork, AbortController>();
  const waiting = new Set<StepWork>();
  let alone: StepWork | undefined;
  let isDismissed = false;

  const start = async (work: StepWork): Promise<void> => {
    const controller = new AbortController();
    underWay.set(work, controller);
    if (work.step.runs.isSequential === true) alone = work;
    const result = await perform(work, { signal: controller.signal, waits: () => makeRoom(work) });
    underWay.delete(work);
    waiting.delete(work);
    if (alone === work) alone = undefined;
    onEnd(work, result);
  };

  /** Frees the slot of a step that waits for a person, which can take days. */
  const makeRoom = (work: StepWork): void => {
    if (!underWay.has(work)) return;
    waiting.add(work);
    if (alone === work) alone = undefined;
    begin();
  };

  const begin = (): void => {
    while (!isDismissed && underWay.size - waiting.size < slots) {
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

/** Work that only waits for a slot, in the order of the plan and of the items. */
interface ReadyQueue {
  readonly size: number;
  add(work: StepWork): void;
  /** The first one; `withSequential` is false while one of those runs that must not run beside each other. */
  take(withSequential: boolean): StepWork | undefined;
}

/** A queue with nothing in it; adding and taking cost the logarithm of its size. */
function createReadyQueue(): ReadyQueue {
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

function isBefore(one: StepWork, other: StepWork): boolean {
  if (one.step.order !== other.step.order) return one.step.order < other.step.order;
  return (one.index ?? 0) < (other.index ?? 0);
}

/** A pile whose first element is always at hand. */
interface Heap<Element> {
  readonly size: number;
  first(): Element | undefined;
  add(element: Element): void;
  take(): Element | undefined;
}

/** An empty binary heap. */
export function createHeap<Element>(isBefore: (one: Element, other: Element) => boolean): Heap<Element> {
  const elements: Element[] = [];
  const mayRise = (child: number, parent: number): boolean => {
    const [one, other] = [elements[child], elements[parent]];
    return one !== undefined && other !== undefined && isBefore(one, other);
  };
  const swap = (one: number, other: number): void => {
    [elements[one], elements[other]] = [elements[other] as Element, elements[one] as Element];
  };

  const rise = (from: number): void => {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!mayRise(place, parent)) return;
      swap(place, parent);
      place = parent;
    }
  };
  const sink = (): void => {
    let place = 0;
    while (true) {
      const left = 2 * place + 1;
      const lesser = mayRise(left + 1, left) ? left + 1 : left;
      if (!mayRise(lesser, place)) return;
      swap(place, lesser);
      place = lesser;
    }
  };

  return {
    get size() {
      return elements.length;
    },
    first: () => elements[0],
    add(element) {
      elements.push(element);
      rise(elements.length - 1);
    },
    take() {
      const first = elements[0];
      const last = elements.pop();
      if (last !== undefined && elements.length > 0) {
        elements[0] = last;
        sink();
      }
      return first;
    },
  };
}
