import { matches } from '../request/matches.ts';
import type { Field, Table, TableRow } from '../table.ts';

/** Whether a record must have a value of a field, as far as no code says so; a key that the database makes is not there before. Pure. */
export function isRequired(table: Table, field: Field, row: TableRow): boolean {
  if (field.key !== undefined) return field.key !== 'auto-increment';
  if (field.requiredWhen === undefined) return field.required === true;
  return field.requiredIf !== undefined && matches(table, field.requiredIf, row);
}
