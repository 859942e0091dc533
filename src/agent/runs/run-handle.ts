import {
  AgentError,
  noUsage,
  optional,
  pause,
  toErrorData,
  type ErrorData,
  type OpenQuestion,
  type RunEvent,
  type RunHandle,
  type RunResult,
  type RunStatus,
  type Store,
} from '../../core/index.ts';
import { isOvertaken, type Stop } from '../../run/lifecycle/stop.ts';
import type { Runs } from '../../run/runs.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { createRunFold, resultOf } from '../../views/index.ts';

/** What runs need of their agent; opened with the first run. */
export interface RunServices {
  readonly runs: Runs;
  readonly store: Store;
  readonly sessions: Sessions;
}

/** What is known of a run while a handle on it is open: its id, its events, and what stops it. */
export class RunObserver {
  /** A prompt may turn out to continue an earlier run, before anything of it is known. */
  id: string;
  /** What waits in the session beside it when it stops. */
  stillOpen: OpenQuestion | undefined;
  readonly events = new Feed<RunEvent>();
  /** Aborted by the handle, or by the signal of the request. */
  readonly signal: AbortSignal;
  readonly #fold = createRunFold();
  readonly #begun = Promise.withResolvers<undefined>();
  readonly #controller = new AbortController();
  #last = 0;

  constructor(id: string, signal?: AbortSignal) {
    this.id = id;
    const own = this.#controller.signal;
    this.signal = signal === undefined ? own : AbortSignal.any([own, signal]);
  }

  /** Takes each event once. */
  readonly listener = (event: RunEvent): void => {
    this.#begun.resolve(undefined);
    if (event.seq > 0 && event.seq <= this.#last) return;
    if (event.seq > 0) this.#last = event.seq;
    this.#fold.add(event);
    this.events.push(event);
  };

  /** Resolves when the store knows the run. */
  get begun(): Promise<undefined> {
    return this.#begun.promise;
  }

  /** The place of the last event. */
  get last(): number {
    return this.#last;
  }

  /** What its events say that it came to. */
  get result(): RunResult {
    return { ...resultOf(this.#fold.tree), ...optional('stillOpen', this.stillOpen) };
  }

  stop(reason: string): void {
    this.#controller.abort(new AgentError('usage.cancelled', reason));
  }

  /** Reads what others wrote. */
  async catchUp(store: Store): Promise<void> {
    for await (const event of store.read(this.id, this.#last + 1)) this.listener(event);
  }
}

/** A handle on a run that somebody works on; its result is a fold over its events. */
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
      await Promise.race([observer.begun, result]); // before that nobody knows of the run
      await (await open()).runs.steer(observer.id, text);
    },
    async cancel(reason) {
      observer.stop(reason ?? 'The run was cancelled.');
      const { status } = await result;
      if (isOpen(status)) await (await open()).runs.cancel(observer.id, reason);
    },
  };
}

/** Waits until nobody works on the run here; what kept it from being worked on or read is part of the result. */
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
    // Whoever ends a run first takes it over: what that one is about to write is waited for.
    for (let look = 0; look < 20 && observer.last === known && isOvertaken(stop); look++) {
      await pause(lookEvery);
      await observer.catchUp(store);
    }
    if (stop.why === 'broken') error = stop.error;
  } catch (thrown) {
    error = toErrorData(thrown);
  }
  if (observer.last === 0) return resultWithout(observer.id, skill, error ?? unknown);
  const { result } = observer;
  return error !== undefined && isOpen(result.status) ? { ...result, error } : result;
}

const lookEvery = 50; // milliseconds

function isOpen(status: RunStatus): boolean {
  return status === 'running' || status === 'waiting';
}

const unknown: ErrorData = { code: 'internal.bug', message: 'Nothing is known of the run.' };

/** The failure of a run that was cancelled before anything of it began. */
export function cancelledBefore(): AgentError {
  return new AgentError('usage.cancelled', 'The run was cancelled before it began.');
}

/** Items that any number of readers get from the first one on, each at its own pace. */
export class Feed<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isOver = false;
  #next = Promise.withResolvers<undefined>();

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** There are no more items. */
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

/** The result of a run of which nothing was heard. */
export function resultWithout(runId: string, skill: string, error: ErrorData): RunResult {
  const status = error.code === 'usage.cancelled' ? 'cancelled' : 'failed';
  return { ok: false, runId, status, skill, text: error.message, usage: noUsage, error };
}
