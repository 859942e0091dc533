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
import type { Attendance, Runs } from '../../run/runs.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { createRunFold, resultOf } from '../../views/index.ts';

/** What a handle stands on; opened when the run begins. */
export interface RunWorks {
  readonly runs: Runs;
  readonly store: Store;
  readonly sessions: Sessions;
}

/** Which run a handle is on; a prompt may turn out to go on with an earlier one, before anything of it is heard. */
export interface Attended {
  id: string;
  /** What waits in the session beside it when it stops. */
  stillOpen?: OpenQuestion;
}

/** A handle on a run that `work` begins or takes up; it begins at once, and its result is a fold over its events. */
export function attend(
  attended: Attended,
  skill: string,
  open: () => Promise<RunWorks>,
  work: (works: RunWorks, attendance: Attendance) => Promise<Stop>,
  signal?: AbortSignal,
): RunHandle {
  const feed = new Feed<RunEvent>();
  const fold = createRunFold();
  const begun = Promise.withResolvers<undefined>();
  let last = 0;
  const listener = (event: RunEvent): void => {
    begun.resolve(undefined);
    if (event.seq > 0 && event.seq <= last) return;
    if (event.seq > 0) last = event.seq;
    fold.add(event);
    feed.push(event);
  };
  const own = new AbortController();
  const stopping = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
  const settle = async (): Promise<RunResult> => {
    if (stopping.aborted) return resultWithout(attended.id, skill, cancelled);
    const error = await attempt(async () => {
      const works = await open();
      const stop = await work(works, { listener, signal: stopping });
      const known = last;
      const hear = async (): Promise<void> => {
        for await (const event of works.store.read(attended.id, last + 1)) listener(event); // what others wrote
      };
      await hear();
      if (stop.why !== 'broken') return undefined;
      // Whoever ends a run first takes it over: what that one is about to write is waited for.
      for (let look = 0; look < 20 && last === known && isOvertaken(stop); look++) {
        await pause(lookEvery);
        await hear();
      }
      return stop.error;
    });
    const result = { ...resultOf(fold.tree), ...optional('stillOpen', attended.stillOpen) };
    if (last === 0) return resultWithout(attended.id, skill, error ?? unknown);
    return error !== undefined && isOpen(result.status) ? { ...result, error } : result;
  };
  const result = settle().finally(() => {
    feed.end();
  });
  return {
    get id() {
      return attended.id;
    },
    events: feed,
    result,
    async steer(text) {
      await Promise.race([begun.promise, result]); // before that nobody knows of the run
      await (await open()).runs.steer(attended.id, text);
    },
    async cancel(reason) {
      own.abort(new AgentError('usage.cancelled', reason ?? 'The run was cancelled.'));
      const { status } = await result;
      if (isOpen(status)) await (await open()).runs.cancel(attended.id, reason);
    },
  };
}

const lookEvery = 50; // milliseconds

function isOpen(status: RunStatus): boolean {
  return status === 'running' || status === 'waiting';
}

/** What kept a run from being worked on, or from being read afterwards. */
async function attempt(work: () => Promise<ErrorData | undefined>): Promise<ErrorData | undefined> {
  try {
    return await work();
  } catch (thrown) {
    return toErrorData(thrown);
  }
}

const unknown: ErrorData = { code: 'internal.bug', message: 'Nothing is known of the run.' };
const cancelled: ErrorData = { code: 'usage.cancelled', message: 'The run was cancelled before it began.' };

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
