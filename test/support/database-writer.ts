import { once } from 'node:events';
import type { Database } from '../../src/core/database.ts';
import { openDatabase } from '../../src/config/storage/open-database.ts';
import { countUp, statement } from '../../src/testing/database/test-database.ts';

/** What one process is told to do with the table `counter` of a database; it says `ready` first, and begins with a message. */
export interface CountOrder {
  readonly database: string;
  /** How often it counts up, each time in a transaction of its own. */
  readonly times: number;
  /** It ends its last transaction never: it says `open` in the middle of it. */
  readonly stays?: true;
}

if (process.send !== undefined) {
  const order = JSON.parse(process.argv[2] ?? '') as CountOrder;
  const database = await openDatabase(order.database);
  process.send('ready');
  await once(process, 'message'); // all begin at once
  for (let index = 0; index < order.times; index += 1) await database.write((run) => countUp(database, run));
  if (order.stays === true) await stay(database);
  await database.close();
  process.disconnect();
}

function stay(database: Database): Promise<void> {
  return database.write(async (run) => {
    await run(statement(database, 'update counter set count = ?', -1));
    process.send?.('open');
    await once(process, 'message'); // it is killed instead
  });
}
