import { matches } from '../request/matches.ts';
import type { Field, Table, TableRow } from '../table.ts';

/**
 * Whether a record must have a value for a field, according to the rules that need no generated code. A key
 * that the database generates is not required. Pure.
 */
export function isRequired(table: Table, field: Field, row: TableRow): boolean {
  if (field.key !== undefined) return field.key !== 'auto-increment';
  if (field.requiredWhen === undefined) return field.required === true;
  return field.requiredIf !== undefined && matches(table, field.requiredIf, row);
}
