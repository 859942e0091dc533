import { AgentError, optional } from '../../../core/index.ts';
import type { TableContext } from '../table-context.ts';
import type { Condition } from '../request/request.ts';
import type { TableRow } from '../table.ts';

/** The maximum number of records that one update or delete may change. */
const maxChanged = 100_000;

// The maximum total size of the records as JSON, in characters. The limit exists because all records are kept
// in memory.
const maxCharacters = 200_000_000;
const atOnce = 1_000; // The number of records per batch.

/**
 * Reads every record that a change affects. Throws `limit.too-large` if there are too many records or they
 * are too large.
 */
export async function readMeant(
  { table, records }: Pick<TableContext, 'table' | 'records'>,
  where: Condition | undefined,
): Promise<readonly TableRow[]> {
  const total = await records.count(where);
  if (total > maxChanged) {
    const [many, most] = [total.toLocaleString('en'), maxChanged.toLocaleString('en')];
    throw tooLarge(`${many} records of ${table.name} match; one change can affect at most ${most}.`);
  }
  const rows: TableRow[] = [];
  let characters = 0;
  for await (const part of records.each(optional('where', where), atOnce)) {
    for (const row of part) {
      characters += JSON.stringify(row).length;
      rows.push(row);
    }
    if (characters > maxCharacters) {
      const most = maxCharacters.toLocaleString('en');
      throw tooLarge(`The matching records in ${table.name} have more than ${most} characters in total.`);
    }
  }
  return rows;
}

function tooLarge(message: string): AgentError {
  return new AgentError('limit.too-large', `${message} Nothing was changed.`, {
    hint: 'Add a condition so that fewer records match.',
  });
}
