import {
  AgentError,
  fromErrorData,
  noUsage,
  optional,
  pause,
  toErrorData,
  type ErrorData,
  type PromptIo,
  type RunEvent,
  type RunHandle,
  type RunResult,
  type RunStatus,
  type Store,
} from '../../core/index.ts';
import { cancelReason } from '../../run/lifecycle/run-end.ts';
import { interruptedBy, isClaimLost, type Stop } from '../../run/lifecycle/stop.ts';
import type { Runs } from '../../run/runs.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { createRunFold, resultOf } from '../../views/index.ts';

/** The services that runs need, opened when the first run starts. */
export interface RunServices {
  readonly runs: Runs;
  readonly store: Store;
  readonly sessions: Sessions;
}

/** Tracks a run while a handle to it is open: its id, its events, and the signal that stops it. */
export class RunObserver {
  /**
   * The run's id. If the prompt continues an earlier run, this changes to that run's id before the first
   * event.
   */
  id: string;
  /** A question from another run that is still open in the session when this run stops. */
  stillOpen: RunResult['stillOpen'];
  /** Receives each line that the run's skills output. */
  write: PromptIo['outputWriter'];
  readonly events = new Feed<RunEvent>();
  /** Aborts when the handle cancels the run or the request's own signal aborts. */
  readonly signal: AbortSignal;
  readonly #fold = createRunFold();
  readonly #begun = Promise.withResolvers<undefined>();
  readonly #controller = new AbortController();
  #last = 0;
  #writtenTo = 0;
  #isSuspended = false;

  /** Ignores a signal of the wrong type, because `checkSignal` rejects it when the work begins. */
  constructor(id: string, signal?: AbortSignal | null) {
    this.id = id;
    const own = this.#controller.signal;
    this.signal = signal instanceof AbortSignal ? AbortSignal.any([own, signal]) : own;
  }

  /** Records an event, ignoring events that were already seen. */
  readonly listener = (event: RunEvent): void => {
    this.#begun.resolve(undefined);
    if (event.seq > 0 && event.seq <= this.#last) return;
    if (event.seq > 0) {
      this.#last = event.seq;
      this.#isSuspended = event.type === 'run.waiting';
    }
    this.#fold.add(event);
    this.events.push(event);
    if (event.type === 'note.added' && event.seq > this.#writtenTo) this.#write(event.message);
  };

  /** Observes a run that began earlier. Lines that were already output are not passed to `write` again. */
  async follow(runId: string, store: Pick<Store, 'read'>): Promise<void> {
    this.id = runId;
    if (this.write === undefined) return;
    for await (const { seq } of store.read(runId)) this.#writtenTo = seq;
  }

  #write(line: string): void {
    try {
      this.write?.(line);
    } catch {
      this.write = undefined; // A failure to write a line must not make the run fail.
    }
  }

  /** Resolves when the run is in the store. */
  get begun(): Promise<undefined> {
    return this.#begun.promise;
  }

  /** The sequence number of the last event. */
  get last(): number {
    return this.#last;
  }

  /** Whether the run is suspended: it is waiting for human input, and no process is working on it. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** The result, computed from the run's events. */
  get result(): RunResult {
    return { ...resultOf(this.#fold.tree), ...optional('stillOpen', this.stillOpen) };
  }

  stop(reason: string): void {
    this.#controller.abort(new AgentError('usage.cancelled', reason));
  }

  /** Records the events that other processes have written to the store. */
  async catchUp(store: Store): Promise<void> {
    for await (const event of store.read(this.id, this.#last + 1)) this.listener(event);
  }
}

/** Throws `usage.bad-input` for a signal of the wrong type. Untyped programs can pass null for no signal. */
export function checkSignal(signal: AbortSignal | null | undefined): void {
  if ((signal ?? undefined) === undefined || signal instanceof AbortSignal) return;
  throw new AgentError('usage.bad-input', `The signal must be an AbortSignal, not ${typeof signal}.`, {
    hint: 'Pass the `signal` of an AbortController, or leave it out.',
    details: { name: 'signal' },
  });
}

/** Returns a handle to a run in progress. Its result is computed from the run's events. */
export function createRunHandle(
  observer: RunObserver,
  skill: string,
  open: () => Promise<RunServices>,
  work: Promise<Stop>,
): RunHandle {
  const result = settle(observer, skill, open, work).finally(() => {
    observer.events.end();
  });
  return {
    get id() {
      return observer.id;
    },
    events: observer.events,
    result,
    async steer(text) {
      // Messages can be sent to a run only once it is in the store.
      await Promise.race([observer.begun, result]);
      await (await open()).runs.steer(observer.id, text);
    },
    async cancel(reason) {
      observer.stop(cancelReason(reason));
      const { status } = await result;
      if (isOpen(status)) await (await open()).runs.cancel(observer.id, reason);
    },
  };
}

/**
 * Waits until this process stops working on the run, then returns the run's result. The result includes any
 * error that prevented the run from being executed or read.
 */
async function settle(
  observer: RunObserver,
  skill: string,
  open: () => Promise<RunServices>,
  work: Promise<Stop>,
): Promise<RunResult> {
  let error: ErrorData | undefined;
  try {
    const stop = await work;
    const { store } = await open();
    const known = observer.last;
    await observer.catchUp(store);
    // Another process took over the run to end it. Wait for that process to write its last events.
    for (let look = 0; look < 20 && observer.last === known && isClaimLost(stop); look++) {
      await pause(lookEvery);
      await observer.catchUp(store);
    }
    if (stop.why === 'broken') error = stop.error;
  } catch (thrown) {
    error = toErrorData(thrown);
  }
  const isInterrupted = error?.code === 'sandbox.store' && (await isOpened(open));
  if (error !== undefined && isInterrupted)
    error = toErrorData(interruptedBy(observer.id, fromErrorData(error)));
  if (observer.last === 0) return resultWithout(observer.id, skill, error ?? unknown, isInterrupted);
  const { result } = observer;
  if (error === undefined || !isOpen(result.status)) return result;
  if (!isInterrupted || observer.isSuspended) return { ...result, error };
  return { ...result, status: 'interrupted', text: error.message, error };
}

/** Whether the store was opened. If it was not, no run has begun. */
function isOpened(open: () => Promise<unknown>): Promise<boolean> {
  return open().then(
    () => true,
    () => false,
  );
}

const lookEvery = 50; // The time between two reads of the store, in milliseconds.

function isOpen(status: RunStatus): boolean {
  return status === 'running' || status === 'waiting';
}

const unknown: ErrorData = { code: 'internal.bug', message: 'Unknown run.' };

/** Returns the error for a run that was cancelled before it began. */
export function cancelledBefore(): AgentError {
  return new AgentError('usage.cancelled', 'The run was cancelled before it began.');
}

/** A sequence of items that any number of readers can read from the start, each at their own pace. */
export class Feed<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isOver = false;
  #next = Promise.withResolvers<undefined>();

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (let index = 0; ;) {
      while (index < this.#items.length) yield this.#items[index++] as Item;
      if (this.#isOver) return;
      await this.#next.promise;
    }
  }

  #wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<undefined>();
    resolve(undefined);
  }
}

/** Returns the result of a run that has no events. */
export function resultWithout(
  runId: string,
  skill: string,
  error: ErrorData,
  isInterrupted = false,
): RunResult {
  const ended = error.code === 'usage.cancelled' ? 'cancelled' : 'failed';
  const status = isInterrupted ? 'interrupted' : ended;
  return { ok: false, runId, status, skill, text: error.message, usage: noUsage, error };
}
