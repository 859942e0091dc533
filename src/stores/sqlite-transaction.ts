import type { DatabaseSync } from 'node:sqlite';

/** Does synchronous work as one write, all or nothing: whatever it throws, and when it gives nothing, nothing was written. */
export function transact<Value>(connection: DatabaseSync, work: () => Value): Value {
  connection.exec('begin immediate');
  try {
    const value = work();
    connection.exec(value === undefined ? 'rollback' : 'commit');
    return value;
  } catch (thrown) {
    if (connection.isTransaction) connection.exec('rollback'); // some failures have ended it already
    throw thrown;
  }
}
