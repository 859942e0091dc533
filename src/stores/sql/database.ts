import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, type Database, type RunSql } from '../../core/index.ts';
import { createLifecycle } from '../lifecycle.ts';
import type { SqlConnection } from './connection.ts';

/** A database for records on an open connection, which it closes. */
export function createSqlDatabase(connection: SqlConnection): Database {
  const guard = createReentrancyGuard();
  const life = createLifecycle('database', () => connection.close());
  const begin = <Value>(work: () => Promise<Value>): Promise<Value> =>
    life.during(async () => {
      guard.check();
      return work();
    });

  return {
    kind: connection.kind,
    place: connection.place,
    read: (statement) => begin(() => connection.read(statement)),
    write: (work) =>
      begin(() =>
        connection.transact((run) => performWork(run, (inOrder) => guard.enter(() => work(inOrder)))),
      ),
    close: () => life.end(),
  };
}

/** Catches a transaction that calls its own database instead of the `run` it was given: it would wait for itself forever. */
interface ReentrancyGuard {
  /** Throws in the work of a transaction that is still open. */
  check(): void;
  /** Does the work of a transaction. */
  enter<Value>(work: () => Promise<Value>): Promise<Value>;
}

function createReentrancyGuard(): ReentrancyGuard {
  const inside = new AsyncLocalStorage<{ isOpen: boolean }>();

  return {
    check() {
      if (inside.getStore()?.isOpen !== true) return;
      throw new AgentError('internal.bug', 'A transaction called its own database from outside of itself.', {
        hint: 'Run all statements of a transaction with the function that its work is given.',
      });
    },
    async enter(work) {
      const transaction = { isOpen: true };
      try {
        return await inside.run(transaction, work);
      } finally {
        transaction.isOpen = false;
      }
    },
  };
}

/**
 * Does the work of a transaction. Its statements run one after the other, also those that it did not wait for, and one
 * that fails fails the transaction, even if the work catches the error.
 */
async function performWork<Value>(execute: RunSql, work: (run: RunSql) => Promise<Value>): Promise<Value> {
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
