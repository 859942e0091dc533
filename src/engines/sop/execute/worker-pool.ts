import type { CommandCall } from '../index.ts';
import type { StepWork } from './work.ts';

/**
 * A pool that runs a limited number of steps at the same time. Unlike the limiter in `core`, it starts steps
 * in plan order, runs only one sequential step at a time, and frees the slot of a step that waits for the
 * user.
 */
interface WorkerPool {
  add(work: StepWork): void;
  /** Starts queued work in plan order, as long as a slot is free. */
  begin(): void;
  /** Aborts all running work and starts no more. */
  dismiss(): void;
  /** Whether no work is running and no queued work can start. */
  isIdle(): boolean;
}

/** Options of a worker pool. `onEnd` is called once the slot is free. */
interface WorkerPoolOptions<Result> {
  readonly slots: number;
  perform(work: StepWork, ways: Pick<CommandCall, 'signal' | 'waits'>): Promise<Result>;
  onEnd(work: StepWork, result: Result): void;
  /** Called with an error that `perform` or `onEnd` throws. Such an error is always a bug. */
  onBug(thrown: unknown): void;
}

/** Creates an empty worker pool. */
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

  /** Frees the slot of a step that waits for the user, because an answer can take days. */
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

/** Work that is ready to start, ordered by its position in the plan and the item's index. */
interface ReadyQueue {
  readonly size: number;
  add(work: StepWork): void;
  /** Removes and returns the first item. `withSequential` is false while a sequential step is running. */
  take(withSequential: boolean): StepWork | undefined;
}

/** Creates an empty queue. Adding and removing work takes logarithmic time. */
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

/** A binary heap that keeps its smallest element first. */
interface Heap<Element> {
  readonly size: number;
  first(): Element | undefined;
  add(element: Element): void;
  take(): Element | undefined;
}

/** Creates an empty binary heap. */
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
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!mayRise(index, parent)) return;
      swap(index, parent);
      index = parent;
    }
  };
  const sink = (): void => {
    let index = 0;
    while (true) {
      const left = 2 * index + 1;
      const lesser = mayRise(left + 1, left) ? left + 1 : left;
      if (!mayRise(lesser, index)) return;
      swap(index, lesser);
      index = lesser;
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
