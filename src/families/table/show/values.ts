import { showGrid } from '../../../engines/values/text-grid.ts';
import { asText, cutText, type Json, type JsonObject } from '../../../core/index.ts';
import type { Comparison, Condition } from '../../../engines/conditions/conditions.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { isNumeric, showValue } from '../../../engines/values/types.ts';
import { changedFields, type Change } from '../records/change.ts';
import type { TableContext } from '../table-context.ts';
import { labelOf, shortLabelOf, type Field, type Table, type TableRow } from '../table.ts';

/** The context needed to show records to users. */
export type ShowContext = Pick<TableContext, 'prose' | 'clock'>;

/** Formats the values of one field for display, using the field's presenter if it has one. */
export async function presentValues(
  { prose, clock }: ShowContext,
  field: Field,
  rows: readonly TableRow[],
): Promise<readonly string[]> {
  const plain = rows.map((row) => showValue(field, row[field.name] ?? null, clock));
  if (!prose.has('present', field.name)) return plain;
  const given = [...rows.keys()].filter((index) => (rows[index]?.[field.name] ?? null) !== null);
  const inputs = given.map((index) => {
    const record = rows[index] ?? {};
    return { value: record[field.name] ?? null, record };
  });
  const results = await prose.run('present', field.name, inputs);
  const shown = new Map(given.map((index, position) => [index, results[position]]));
  return plain.map((text, index) => {
    const presented = shown.get(index);
    return typeof presented === 'string' && presented !== '' ? presented : text;
  });
}

const longestValue = 60; // The maximum number of characters per value.

/** Returns the key that identifies a record, or "a new record" if the database has not generated it yet. */
export function showKey({ key }: Table, row: TableRow, clock: LocalClock): string {
  const parts = key.map((field) => row[field.name] ?? null);
  if (parts.includes(null)) return 'a new record';
  return key
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestValue))
    .join(', ');
}

/** Returns a short title for a record: its key and the first fields shown in lists. */
export function showTitle(table: Table, row: TableRow, clock: LocalClock): string {
  const others = table.listed.filter(({ key, name }) => key === undefined && (row[name] ?? null) !== null);
  const values = others
    .slice(0, 3)
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestValue));
  return [showKey(table, row, clock), ...values].join(' · ');
}

const maxValues = 5;

/** Describes a condition in words, such as "status is faulty and price is over 10". */
export function showCondition(table: Pick<Table, 'find'>, condition: Condition, clock: LocalClock): string {
  return spoken(condition, false);

  function spoken(part: Condition, isInner: boolean): string {
    if ('all' in part) return joined(part.all, ' and ', isInner);
    if ('any' in part) return joined(part.any, ' or ', isInner);
    if ('not' in part) return `not (${spoken(part.not, false)})`;
    const field = table.find(part.field);
    const label = field === undefined ? part.field : labelOf(field);
    const valueText = (value: Json): string =>
      cutText(field === undefined ? JSON.stringify(value) : showValue(field, value, clock), longestValue);
    return `${label} ${verbs[part.is]}${valuesIn(part.value, part.is, valueText)}`;
  }

  function joined(parts: readonly Condition[], separator: string, isInner: boolean): string {
    if (parts.length === 0) return separator === ' and ' ? 'anything' : 'nothing';
    const text = parts.map((part) => spoken(part, true)).join(separator);
    return isInner && parts.length > 1 ? `(${text})` : text;
  }
}

const verbs: Readonly<Record<Comparison, string>> = {
  equals: 'is',
  'not-equals': 'is not',
  less: 'is under',
  'at-most': 'is at most',
  more: 'is over',
  'at-least': 'is at least',
  between: 'is between',
  in: 'is one of',
  'not-in': 'is none of',
  contains: 'contains',
  'not-contains': 'does not contain',
  'starts-with': 'starts with',
  'ends-with': 'ends with',
  empty: 'is empty',
  'not-empty': 'is not empty',
};

function valuesIn(value: Json | undefined, is: Comparison, show: (value: Json) => string): string {
  if (is === 'empty' || is === 'not-empty') return '';
  if (!Array.isArray(value) || (is !== 'between' && is !== 'in' && is !== 'not-in'))
    return ` ${show(value ?? null)}`;
  if (is === 'between') return ` ${value.map(show).join(' and ')}`;
  const more = value.length > maxValues ? `, and ${value.length - maxValues} more` : '';
  return ` ${value.slice(0, maxValues).map(show).join(', ')}${more}`;
}

const maxCharacters = 3_000_000; // The maximum length of all records as JSON. A run cannot store more.
const longestText = 20_000; // The maximum length of a value if all records are too large.

/**
 * Returns records for programs. If they are too large to store, shortens long values and lists their fields
 * in `cut`.
 */
export function recordValues(rows: readonly TableRow[]): {
  readonly records: readonly JsonObject[];
  readonly cut?: readonly string[];
} {
  let size = 0;
  for (const row of rows) size += JSON.stringify(row).length;
  if (size <= maxCharacters) return { records: rows };
  const cut = new Set<string>();
  const most = Math.max(100, Math.min(longestText, Math.floor(maxCharacters / (rows.length * 10))));
  const records = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortened(name, value)])),
  );
  return { records, cut: [...cut] };

  function shortened(name: string, value: Json): Json {
    const text = asText(value);
    if (text.length <= most) return value;
    cut.add(name);
    return `${text.slice(0, most).toWellFormed()}…`;
  }
}

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

const longestShown = 2_000; // The maximum number of characters per value.

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
    lines.push(`${`${labels[index] ?? ''}:`.padEnd(width + 2)}${cutText(text, longestShown)}`);
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
