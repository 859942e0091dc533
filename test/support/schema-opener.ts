import { once } from 'node:events';
import { openDatabase } from '../../src/config/storage/open-database.ts';
import type { Database } from '../../src/core/database.ts';
import { applyProposal } from '../../src/families/table/schema/build-schema.ts';
import { openSchema } from '../../src/families/table/schema/open-schema.ts';
import { builtTable } from './written-table.ts';

/**
 * Instructions for a process that opens or changes a table. It sends `ready`, then waits for a message before
 * it starts.
 */
export interface OpenOrder {
  readonly location: string;
  /** Fields as `builtTable` takes them. */
  readonly fields: Readonly<Record<string, string>>;
  /** The id of the proposal to apply. If absent, the process opens the table. */
  readonly apply?: string;
  /** The start of a statement after which the process sends `open` and waits forever. */
  readonly stopAfter?: string;
}

if (process.send !== undefined) {
  const { location, fields, apply, stopAfter } = JSON.parse(process.argv[2] ?? '') as OpenOrder;
  const opened = await openDatabase(location);
  const database = stopAfter === undefined ? opened : stopping(opened, stopAfter);
  const table = builtTable(fields);
  process.send('ready');
  await once(process, 'message'); // the message makes all processes start together
  if (apply !== undefined) process.send(await applyProposal(database, table, { id: apply }));
  else {
    const { blocked, proposed } = await openSchema(database, table);
    process.send(blocked.length + proposed.length);
  }
  await opened.close();
  process.disconnect();
}

function stopping(database: Database, start: string): Database {
  return {
    ...database,
    write: (work) =>
      database.write((run) =>
        work(async (statement) => {
          const rows = await run(statement);
          if (!statement.sql.trimStart().startsWith(start)) return rows;
          process.send?.('open');
          await once(process, 'message'); // the test kills the process while it waits
          return rows;
        }),
      ),
  };
}
