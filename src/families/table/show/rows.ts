import { changedFields, type Change } from '../records/change.ts';
import { isNumeric } from '../request/conditions.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { cutText, labelOf, shortLabelOf } from './text.ts';
import { presentValues, showKey, type ShowContext } from './values.ts';

const maxShown = 10; // The maximum number of records shown.
const longestChange = 300; // The maximum number of characters per value.

type TableShow = ShowContext & { readonly table: Table };

/** Shows the exact effect of changes: the first few changes in full, then the number of remaining changes. */
export async function showChanges(context: TableShow, changes: readonly Change[]): Promise<string> {
  const first = changes.slice(0, maxShown);
  const adds = first.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const deletes = first.flatMap((change) => (change.kind === 'delete' ? [change.before] : []));
  const parts: string[] = [];
  if (adds.length > 0) parts.push(await wholeRecords(context, adds));
  for (const change of first) if (change.kind === 'update') parts.push(await oneUpdate(context, change));
  if (deletes.length > 0) parts.push(await wholeRecords(context, deletes));
  const more = changes.length - first.length;
  return [...parts, ...(more > 0 ? [`… and ${more.toLocaleString('en')} more.`] : [])].join('\n');
}

/** Formats one record with all its fields, or several as rows. Omits fields that are empty in all records. */
async function wholeRecords(context: TableShow, rows: readonly TableRow[]): Promise<string> {
  const filled = context.table.fields.filter(({ name }) => rows.some((row) => (row[name] ?? null) !== null));
  const [only, ...others] = rows;
  return only !== undefined && others.length === 0
    ? showRecord(context, filled, only)
    : showRows(context, filled, rows);
}

async function oneUpdate(
  context: TableShow,
  { before, after }: Extract<Change, { kind: 'update' }>,
): Promise<string> {
  const { table, clock } = context;
  const lines = [`${showKey(table, before, clock)}:`];
  for (const field of changedFields(table, before, after)) {
    const [was = '', will = ''] = await presentValues(context, field, [before, after]);
    lines.push(`  ${labelOf(field)}: ${changeText(was, will)}`);
  }
  return lines.join('\n');
}

/** Formats the old and new values. If they look the same when shortened, adds their lengths. */
function changeText(was: string, will: string): string {
  const [before, after] = [cutText(was, longestChange), cutText(will, longestChange)];
  if (before !== after) return `${before} → ${after}`;
  return `${before} (${was.length.toLocaleString('en')} characters) → ${after} (${will.length.toLocaleString('en')} characters, which differ further on)`;
}

const longestText = 2_000; // The maximum number of characters per value.

/** Shows one record, with one line per field. */
export async function showRecord(
  context: ShowContext,
  fields: readonly Field[],
  row: TableRow,
): Promise<string> {
  const labels = fields.map(labelOf);
  const width = Math.max(0, ...labels.map((label) => label.length));
  const lines: string[] = [];
  for (const [index, field] of fields.entries()) {
    const [text = ''] = await presentValues(context, field, [row]);
    lines.push(`${`${labels[index] ?? ''}:`.padEnd(width + 2)}${cutText(text, longestText)}`);
  }
  return lines.join('\n');
}

/** Shows records as a plain-text table with one column per field. */
export async function showRows(
  context: ShowContext,
  fields: readonly Field[],
  rows: readonly TableRow[],
): Promise<string> {
  const columns = fields.map((field) => ({
    label: shortLabelOf(field),
    align: isNumeric(field.type) ? ('right' as const) : ('left' as const),
  }));
  const values: (readonly string[])[] = [];
  for (const field of fields) values.push(await presentValues(context, field, rows));
  return showGrid(
    columns,
    rows.map((_row, index) => values.map((column) => column[index] ?? '')),
  );
}

/** A column of a plain-text table. */
interface GridColumn {
  readonly label: string;
  readonly align: 'left' | 'right';
}

const widestCell = 40; // The maximum width of a cell, in characters.
const widestGrid = 160;

/**
 * Formats rows as an aligned plain-text table. Each cell stays on one line. Columns that do not fit are
 * listed below the table.
 */
export function showGrid(columns: readonly GridColumn[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cutText(cell, widestCell)));
  const labels = columns.map(({ label }) => cutText(label, widestCell));
  const widths = labels.map((label, index) =>
    Math.max(lengthOf(label), ...cells.map((row) => lengthOf(row[index] ?? ''))),
  );
  const shown = columnsThatFit(widths);
  const line = (row: readonly string[]): string =>
    widths
      .slice(0, shown)
      .map((width, index) => padded(row[index] ?? '', width, columns[index]?.align))
      .join('  ')
      .trimEnd();
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const left = labels.slice(shown);
  const rest = left.length === 0 ? [] : [`Not shown: ${left.join(', ')}.`];
  return [line(labels), rule, ...cells.map(line), ...rest].join('\n');
}

function columnsThatFit(widths: readonly number[]): number {
  let total = 0;
  for (const [index, width] of widths.entries()) {
    total += width + 2;
    if (total > widestGrid && index > 0) return index;
  }
  return widths.length;
}

function padded(cell: string, width: number, align: GridColumn['align'] | undefined): string {
  const padding = ' '.repeat(Math.max(0, width - lengthOf(cell)));
  return align === 'right' ? padding + cell : cell + padding;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
