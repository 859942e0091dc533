import { createLimiter, reasonOf } from '../core/index.ts';
import type { ServerContext } from './route-group.ts';

/** Continues the runs of servers that have crashed. */
export interface Continuation {
  /** Looks for such runs now and from time to time. Only the first call has an effect. */
  begin(): void;
  stop(): void;
}

const lookEvery = 3_000; // The time between two looks at the store, in milliseconds.
const maxFound = 1_000;
const maxForeign = 10_000;
const maxAtOnce = 64;

/**
 * Creates the continuation of runs. Only runs that a server took are continued: someone may have stopped any
 * other run on purpose. If several servers continue a run, one works on it.
 */
export function createContinuation(context: ServerContext, isOn: boolean): Continuation {
  const { agent, feeds, report } = context;
  const stopped = new AbortController();
  const limiter = createLimiter(maxAtOnce);
  const taken = new Set<string>();
  /** The runs that no server took. */
  const foreign = new Set<string>();
  let isBegun = false;

  const isSubmitted = async (id: string): Promise<boolean> => {
    const store = await agent.runs.store();
    for await (const event of store.read(id)) return event.type === 'run.started' && event.submitted === true;
    return false;
  };
  const work = async (id: string): Promise<void> => {
    try {
      await limiter.run(async () => {
        const handle = agent.runs.resume(id);
        feeds.attach(handle);
        await handle.result;
      }, stopped.signal);
    } finally {
      taken.delete(id);
    }
  };
  const look = async (): Promise<void> => {
    const found = await agent.runs.list({ status: ['interrupted'], limit: maxFound });
    for (const { id } of found) {
      if (stopped.signal.aborted) return;
      if (taken.has(id) || foreign.has(id)) continue;
      if (!(await isSubmitted(id))) {
        if (foreign.size >= maxForeign) foreign.clear();
        foreign.add(id);
        continue;
      }
      taken.add(id);
      work(id).catch((thrown: unknown) => {
        if (!stopped.signal.aborted) report(`could not continue run ${id}: ${reasonOf(thrown)}`);
      });
    }
  };
  const lookAgain = (): void => {
    if (stopped.signal.aborted) return;
    look()
      .catch((thrown: unknown) => report(`could not look for interrupted runs: ${reasonOf(thrown)}`))
      .finally(() => {
        setTimeout(lookAgain, lookEvery).unref();
      });
  };
  return {
    begin() {
      if (!isOn || isBegun) return;
      isBegun = true;
      lookAgain();
    },
    stop: () => stopped.abort(),
  };
}
