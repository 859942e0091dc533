import { AgentError, optional } from '../../../core/index.ts';
import type { Ground } from '../ground.ts';
import type { Condition } from '../request/request.ts';
import type { TableRow } from '../table.ts';

/** The most records that one update or delete may change. */
const mostChanged = 100_000;

const mostLetters = 200_000_000; // of all of them, as JSON: they are held in memory
const atOnce = 1_000; // records

/** All records that a change is about, whole; throws `limit.too-large` when they are too many or too large. */
export async function readMeant(
  { table, records }: Pick<Ground, 'table' | 'records'>,
  where: Condition | undefined,
): Promise<readonly TableRow[]> {
  const total = await records.count(where);
  if (total > mostChanged) {
    const [many, most] = [total.toLocaleString('en'), mostChanged.toLocaleString('en')];
    throw tooLarge(`${many} records of ${table.name} are meant; one change may be about ${most}.`);
  }
  const rows: TableRow[] = [];
  let letters = 0;
  for await (const part of records.each(optional('where', where), atOnce)) {
    for (const row of part) {
      letters += JSON.stringify(row).length;
      rows.push(row);
    }
    if (letters > mostLetters) {
      const most = mostLetters.toLocaleString('en');
      throw tooLarge(`The records of ${table.name} that are meant have more than ${most} characters.`);
    }
  }
  return rows;
}

function tooLarge(message: string): AgentError {
  return new AgentError('limit.too-large', `${message} Nothing was changed.`, {
    hint: 'Narrow it with a condition.',
  });
}
