import { AgentError } from '../core/error.ts';

/** The time between opening and closing; nothing begins after it, and its end waits for what has begun. */
export interface Life {
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
