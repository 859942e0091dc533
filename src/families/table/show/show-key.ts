import type { TableClock, Table, TableRow } from '../table.ts';
import { showValue } from '../values/show-value.ts';
import { cutText } from './cut-text.ts';

const longestPart = 60; // The maximum number of characters per key value.

/** Returns the key that identifies a record, or "a new record" if the database has not generated it yet. */
export function showKey({ key }: Table, row: TableRow, clock: TableClock): string {
  const parts = key.map((field) => row[field.name] ?? null);
  if (parts.includes(null)) return 'a new record';
  return key
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestPart))
    .join(', ');
}

/** Returns a short title for a record: its key and the first fields shown in lists. */
export function showTitle(table: Table, row: TableRow, clock: TableClock): string {
  const others = table.listed.filter(({ key, name }) => key === undefined && (row[name] ?? null) !== null);
  const values = others
    .slice(0, 3)
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestPart));
  return [showKey(table, row, clock), ...values].join(' · ');
}
