import type { RunSql } from '../../core/database.ts';
import { AgentError } from '../../core/error.ts';

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
