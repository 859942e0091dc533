import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, reasonOf, type RunSql } from '../core/index.ts';

/** Keeps the work of a transaction from asking its own database from outside, for which it would wait for ever. */
interface Gate {
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

/**
 * Does the work of a transaction: its statements follow each other, also those that it did not wait for, and a statement
 * that failed fails all of it, also where the work has caught that.
 */
export async function performWork<Value>(
  execute: RunSql,
  work: (run: RunSql) => Promise<Value>,
): Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly thrown: unknown } | undefined;
  let hasEnded = false;

  const run: RunSql = async (statement) => {
    if (hasEnded) throw endedError();
    const done = last.then(() => {
      if (failure !== undefined) throw failure.thrown;
      return execute(statement);
    });
    last = done.catch((thrown: unknown) => (failure ??= { thrown }));
    return done;
  };

  try {
    const value = await work(run);
    hasEnded = true;
    await last;
    // It is set in a function, which the compiler does not follow.
    const failed = failure as { readonly thrown: unknown } | undefined;
    if (failed !== undefined) throw failed.thrown;
    return value;
  } finally {
    hasEnded = true;
    await last;
  }
}

function endedError(): AgentError {
  return new AgentError('internal.bug', 'A statement came after the end of its transaction.', {
    hint: 'Wait for all statements in the work of the transaction.',
  });
}

/** What a database refuses a change for: a value that must be the only one of its kind, or anything else. */
type Refused = 'unique' | 'other';

/** A change that the database itself refuses, as nothing that is wrong with the database. */
export function buildRefusal(refused: Refused, thrown: unknown, named: string): AgentError {
  return new AgentError('usage.bad-input', `The ${named} refused a change: ${reasonOf(thrown)}.`, {
    hint:
      refused === 'unique'
        ? 'Give another value, or change the record that has it already.'
        : 'Give values that the database takes; its own rules are those of its tables.',
    details: { refused },
    cause: thrown,
  });
}

/** A whole number as a number where that is exact, else as a bigint; pure. */
export function toWhole(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
