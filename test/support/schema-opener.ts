import { once } from 'node:events';
import { openDatabase } from '../../src/config/open-database.ts';
import { applyProposal } from '../../src/families/table/schema/apply-proposal.ts';
import { openSchema } from '../../src/families/table/schema/open-schema.ts';
import { builtTable } from './written-table.ts';

/** What one process is told to do with a table; it says `ready` first, and begins with a message. */
export interface OpenOrder {
  readonly place: string;
  /** As `builtTable` takes them. */
  readonly fields: Readonly<Record<string, string>>;
  /** The id of a change that it makes; it opens the table unless given. */
  readonly apply?: string;
}

if (process.send !== undefined) {
  const { place, fields, apply } = JSON.parse(process.argv[2] ?? '') as OpenOrder;
  const database = await openDatabase(place);
  const table = builtTable(fields);
  process.send('ready');
  await once(process, 'message'); // all begin at once
  if (apply !== undefined) process.send(await applyProposal(database, table, { id: apply }));
  else
    process.send(
      Object.values(await openSchema(database, table)).flatMap((part) => (Array.isArray(part) ? part : []))
        .length,
    );
  await database.close();
  process.disconnect();
}
