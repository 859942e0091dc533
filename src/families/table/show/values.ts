import { asText, type Json, type JsonObject } from '../../../core/index.ts';
import type { Comparison, Condition } from '../request/request.ts';
import type { TableContext } from '../table-context.ts';
import type { Field, Table, TableClock, TableRow } from '../table.ts';
import { showValue } from '../values/value-types.ts';
import { cutText, labelOf } from './text.ts';

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
export function showKey({ key }: Table, row: TableRow, clock: TableClock): string {
  const parts = key.map((field) => row[field.name] ?? null);
  if (parts.includes(null)) return 'a new record';
  return key
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestValue))
    .join(', ');
}

/** Returns a short title for a record: its key and the first fields shown in lists. */
export function showTitle(table: Table, row: TableRow, clock: TableClock): string {
  const others = table.listed.filter(({ key, name }) => key === undefined && (row[name] ?? null) !== null);
  const values = others
    .slice(0, 3)
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestValue));
  return [showKey(table, row, clock), ...values].join(' · ');
}

const maxValues = 5;

/** Describes a condition in words, such as "status is faulty and price is over 10". */
export function showCondition(table: Pick<Table, 'find'>, condition: Condition, clock: TableClock): string {
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
