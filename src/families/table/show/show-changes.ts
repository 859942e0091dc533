import type { Change } from '../records/change.ts';
import { changedFields } from '../records/changed-fields.ts';
import type { Table, TableRow } from '../table.ts';
import { cutText } from './cut-text.ts';
import { labelOf } from './label-of.ts';
import { presentValues, type ShowGround } from './present-values.ts';
import { showKey } from './show-key.ts';
import { showRecord } from './show-record.ts';
import { showRows } from './show-rows.ts';

const mostShown = 10; // records
const longestValue = 300; // characters

/** What changes would do, exactly: the first ones in full, and how many more there are. */
export async function showChanges(
  ground: ShowGround & { readonly table: Table },
  changes: readonly Change[],
): Promise<string> {
  const first = changes.slice(0, mostShown);
  const adds = first.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const deletes = first.flatMap((change) => (change.kind === 'delete' ? [change.before] : []));
  const updates = first.flatMap((change) => (change.kind === 'update' ? [change] : []));
  const parts: string[] = [];
  if (adds.length > 0) parts.push(await wholeRecords(ground, adds));
  for (const update of updates) parts.push(await oneUpdate(ground, update));
  if (deletes.length > 0) parts.push(await wholeRecords(ground, deletes));
  if (changes.length > mostShown)
    parts.push(`… and ${(changes.length - mostShown).toLocaleString('en')} more.`);
  return parts.join('\n');
}

/** One record is shown with all of its fields, several in lines; fields without any value are left out. */
async function wholeRecords(
  ground: ShowGround & { readonly table: Table },
  rows: readonly TableRow[],
): Promise<string> {
  const { fields } = ground.table;
  const filled = fields.filter(({ name }) => rows.some((row) => (row[name] ?? null) !== null));
  const [only, ...others] = rows;
  return only !== undefined && others.length === 0
    ? showRecord(ground, filled, only)
    : showRows(ground, filled, rows);
}

async function oneUpdate(
  ground: ShowGround & { readonly table: Table },
  { before, after }: Extract<Change, { kind: 'update' }>,
): Promise<string> {
  const { table, clock } = ground;
  const lines: string[] = [`${showKey(table, before, clock)}:`];
  for (const field of changedFields(table, before, after)) {
    const [was = '', will = ''] = await presentValues(ground, field, [before, after]);
    lines.push(`  ${labelOf(field)}: ${changeText(was, will)}`);
  }
  return lines.join('\n');
}

/** Old and new; where both begin alike for longer than is shown, their lengths tell that they differ. */
function changeText(was: string, will: string): string {
  const [before, after] = [cutText(was, longestValue), cutText(will, longestValue)];
  if (before !== after) return `${before} → ${after}`;
  return `${before} (${was.length.toLocaleString('en')} characters) → ${after} (${will.length.toLocaleString('en')} characters, other ones further on)`;
}
