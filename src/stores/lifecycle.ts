import { AgentError } from '../core/index.ts';

/** Tracks the operations in progress. Once `end` has been called, new operations are rejected. */
interface Lifecycle {
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Waits for the operations in progress and then finishes. Every call returns the same promise. */
  end(): Promise<void>;
}

/**
 * Creates a lifecycle. `named` is `store` or `database`, for error messages. `finish` is called once, after
 * all operations have ended.
 */
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
