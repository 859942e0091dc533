import { once } from 'node:events';
import type { Database } from '../../src/core/database.ts';
import { openDatabase } from '../../src/config/storage/open-database.ts';
import { countUp, statement } from '../../src/testing/database/test-database.ts';

/**
 * Instructions for a process that increments the table `counter`. It sends `ready`, then waits for a message
 * before it starts.
 */
export interface CountOrder {
  readonly database: string;
  /** The number of increments, each in its own transaction. */
  readonly times: number;
  /** If set, the process finally opens one more transaction, sends `open` and never ends the transaction. */
  readonly stays?: true;
}

if (process.send !== undefined) {
  const order = JSON.parse(process.argv[2] ?? '') as CountOrder;
  const database = await openDatabase(order.database);
  process.send('ready');
  await once(process, 'message'); // the message makes all processes start together
  for (let index = 0; index < order.times; index += 1) await database.write((run) => countUp(database, run));
  if (order.stays === true) await stay(database);
  await database.close();
  process.disconnect();
}

function stay(database: Database): Promise<void> {
  return database.write(async (run) => {
    await run(statement(database, 'update counter set count = ?', -1));
    process.send?.('open');
    await once(process, 'message'); // the test kills the process while it waits
  });
}
