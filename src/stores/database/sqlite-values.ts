import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { SqlRow, SqlValue } from '../../core/database.ts';
import { toWhole } from './whole.ts';

/** A value as SQLite takes it: whole numbers as such, since all others would be `5.0` in a text, and 1 or 0 for booleans. */
export function toSqliteValue(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A row that SQLite gave with all its whole numbers as bigints. */
export function toSqlRow(row: Readonly<Record<string, SQLOutputValue>>): SqlRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? toWhole(value) : value]),
  );
}
