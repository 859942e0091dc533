import { AgentError, createKeyedQueue, createYielder } from '../core/index.ts';

/** The time between opening and closing; nothing begins after it, and its end waits for what has begun. */
interface Life {
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Ends it once, however often it is called. */
  end(): Promise<void>;
}

/** A life of a `store` or a `database`, at whose end this is done, once. */
export function createLife(named: string, finish: () => Promise<void>): Life {
  const begun = new Set<Promise<unknown>>();
  let end: Promise<void> | undefined;

  return {
    async during(work) {
      if (end !== undefined) throw closedError(named);
      const done = work();
      begun.add(done);
      try {
        return await done;
      } finally {
        begun.delete(done);
      }
    },
    end: () => (end ??= Promise.allSettled(begun).then(finish)),
  };
}

function closedError(named: string): AgentError {
  return new AgentError('sandbox.store', `The ${named} is closed.`, {
    hint: 'Open it again, or close it only after the last call.',
  });
}

/** The keyed queue of `core`, under the names that the SQL stores use. */
export function createLines(): {
  join<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
} {
  return { join: createKeyedQueue().run };
}

const longestBreath = 10; // milliseconds

/** Work that is done at once, which lets the event loop turn now and then, however many calls follow each other. */
export interface Breath {
  /** To be awaited after each piece of work. */
  take(): Promise<void> | undefined;
}

/** A breath that is taken at most every 10 milliseconds. */
export function createBreath(): Breath {
  return { take: createYielder(longestBreath) };
}
