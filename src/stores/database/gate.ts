import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError } from '../../core/error.ts';

/** Keeps the work of a transaction from asking its own database from outside, for which it would wait for ever. */
export interface Gate {
  /** Does what is asked from outside; throws inside a transaction that goes on. */
  pass<Value>(ask: () => Promise<Value>): Promise<Value>;
  /** Does the work of a transaction. */
  close<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** A gate for one database; it knows who asks, not when. */
export function createGate(): Gate {
  const inside = new AsyncLocalStorage<{ isGoingOn: boolean }>();

  return {
    async pass(ask) {
      if (inside.getStore()?.isGoingOn === true) throw insideError();
      return ask();
    },
    async close(work) {
      const transaction = { isGoingOn: true };
      try {
        return await inside.run(transaction, work);
      } finally {
        transaction.isGoingOn = false;
      }
    },
  };
}

function insideError(): AgentError {
  return new AgentError('internal.bug', 'A transaction asked its own database from outside of itself.', {
    hint: 'Run all statements of a transaction by the function that its work is given.',
  });
}
