import { AgentError } from '../core/index.ts';

/** Tracks operations in progress. `end` rejects new operations and waits until the others have ended. */
interface Lifecycle {
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Ends the lifecycle. Further calls have no effect. */
  end(): Promise<void>;
}

/**
 * Creates the lifecycle of a `store` or `database`. `finish` is called once, after all operations have ended.
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
