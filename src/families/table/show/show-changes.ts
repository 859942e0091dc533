import { changedFields, type Change } from '../records/change.ts';
import type { Table, TableRow } from '../table.ts';
import { cutText } from './cut-text.ts';
import { labelOf } from './label-of.ts';
import { presentValues, type ShowContext } from './present-values.ts';
import { showKey } from './show-key.ts';
import { showRecord } from './show-record.ts';
import { showRows } from './show-rows.ts';

const maxShown = 10; // The maximum number of records shown.
const longestValue = 300; // The maximum number of characters per value.

/** Shows the exact effect of changes: the first few changes in full, then the number of remaining changes. */
export async function showChanges(
  context: ShowContext & { readonly table: Table },
  changes: readonly Change[],
): Promise<string> {
  const first = changes.slice(0, maxShown);
  const adds = first.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const deletes = first.flatMap((change) => (change.kind === 'delete' ? [change.before] : []));
  const updates = first.flatMap((change) => (change.kind === 'update' ? [change] : []));
  const parts: string[] = [];
  if (adds.length > 0) parts.push(await wholeRecords(context, adds));
  for (const update of updates) parts.push(await oneUpdate(context, update));
  if (deletes.length > 0) parts.push(await wholeRecords(context, deletes));
  if (changes.length > maxShown)
    parts.push(`… and ${(changes.length - maxShown).toLocaleString('en')} more.`);
  return parts.join('\n');
}

/** Formats one record with all its fields, or several as rows. Omits fields that are empty in all records. */
async function wholeRecords(
  context: ShowContext & { readonly table: Table },
  rows: readonly TableRow[],
): Promise<string> {
  const { fields } = context.table;
  const filled = fields.filter(({ name }) => rows.some((row) => (row[name] ?? null) !== null));
  const [only, ...others] = rows;
  return only !== undefined && others.length === 0
    ? showRecord(context, filled, only)
    : showRows(context, filled, rows);
}

async function oneUpdate(
  context: ShowContext & { readonly table: Table },
  { before, after }: Extract<Change, { kind: 'update' }>,
): Promise<string> {
  const { table, clock } = context;
  const lines: string[] = [`${showKey(table, before, clock)}:`];
  for (const field of changedFields(table, before, after)) {
    const [was = '', will = ''] = await presentValues(context, field, [before, after]);
    lines.push(`  ${labelOf(field)}: ${changeText(was, will)}`);
  }
  return lines.join('\n');
}

/** Formats the old and new values. If they look the same when shortened, adds their lengths. */
function changeText(was: string, will: string): string {
  const [before, after] = [cutText(was, longestValue), cutText(will, longestValue)];
  if (before !== after) return `${before} → ${after}`;
  return `${before} (${was.length.toLocaleString('en')} characters) → ${after} (${will.length.toLocaleString('en')} characters, which differ further on)`;
}
