import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, earlierDatabaseMembers, type Database, type RunSql } from '../../core/index.ts';
import { createLifecycle } from '../lifecycle.ts';
import type { SqlConnection } from './connection.ts';

/** Creates a database for records on an open connection. Closing the database also closes the connection. */
export function createSqlDatabase(connection: SqlConnection): Database {
  const guard = createReentrancyGuard();
  const lifecycle = createLifecycle('database', () => connection.close());
  const begin = <Value>(work: () => Promise<Value>): Promise<Value> =>
    lifecycle.during(async () => {
      guard.check();
      return work();
    });

  const database: Database = {
    kind: connection.kind,
    location: connection.location,
    read: (statement) => begin(() => connection.read(statement)),
    write: (work) =>
      begin(() =>
        connection.transact((run) => performWork(run, (inOrder) => guard.enter(() => work(inOrder)))),
      ),
    close: () => lifecycle.end(),
  };
  return Object.defineProperties(database, earlierDatabaseMembers);
}

/** Detects a transaction that calls its database instead of `run`. Such a call would wait forever. */
interface ReentrancyGuard {
  /** Throws if it is called inside a transaction of the same database. */
  check(): void;
  /** Calls a transaction's callback. Until the callback ends, `check` throws inside it. */
  enter<Value>(work: () => Promise<Value>): Promise<Value>;
}

function createReentrancyGuard(): ReentrancyGuard {
  const inside = new AsyncLocalStorage<{ isOpen: boolean }>();

  return {
    check() {
      if (inside.getStore()?.isOpen !== true) return;
      throw new AgentError(
        'internal.bug',
        'A transaction called its own database directly instead of its `run` function.',
        {
          hint: 'Run all statements of a transaction with the function that is passed to its callback.',
        },
      );
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
 * Calls a transaction's callback. Statements run one after another, even if the callback does not await them.
 * If a statement fails, the transaction fails too, even if the callback catches the error.
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
    // TypeScript does not know that the callback may set `failure`.
    const failed = failure as { readonly thrown: unknown } | undefined;
    if (failed !== undefined) throw failed.thrown;
    return value;
  } finally {
    hasEnded = true;
    await last;
  }
}

function endedError(): AgentError {
  return new AgentError('internal.bug', 'A statement was run after its transaction had ended.', {
    hint: 'Await all statements inside the transaction callback.',
  });
}
