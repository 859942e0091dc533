import { AgentError } from '../core/index.ts';

/** The time between opening and closing: nothing starts after it, and its end waits for what has started. */
interface Lifecycle {
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Ends it once, however often it is called. */
  end(): Promise<void>;
}

/** The lifecycle of a `store` or a `database`; `finish` runs once, at its end. */
export function createLifecycle(named: string, finish: () => Promise<void>): Lifecycle {
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
