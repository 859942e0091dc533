import type { TableClock, Table, TableRow } from '../table.ts';
import { showValue } from '../values/show-value.ts';
import { cutText } from './cut-text.ts';

const longestPart = 60; // characters

/** What a record is known by: its key; "a new record" while the database has yet to make that. */
export function showKey({ key }: Table, row: TableRow, clock: TableClock): string {
  const parts = key.map((field) => row[field.name] ?? null);
  if (parts.includes(null)) return 'a new record';
  return key
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestPart))
    .join(', ');
}

/** A record in a few words: its key and the first fields that lists show. */
export function showTitle(table: Table, row: TableRow, clock: TableClock): string {
  const others = table.listed.filter(({ key, name }) => key === undefined && (row[name] ?? null) !== null);
  const words = others
    .slice(0, 3)
    .map((field) => cutText(showValue(field, row[field.name] ?? null, clock), longestPart));
  return [showKey(table, row, clock), ...words].join(' · ');
}
