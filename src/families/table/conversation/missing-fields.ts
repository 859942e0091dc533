import type { Field, Table, TableRow } from '../table.ts';
import { matches } from '../request/matches.ts';

/** The fields that new records need and nobody has said yet, of those that are asked for. */
export function missingFields(table: Table, records: readonly TableRow[]): readonly Field[] {
  return table.interactive.filter((field) =>
    records.some((record) => (record[field.name] ?? null) === null && isNeeded(table, field, record)),
  );
}

function isNeeded(table: Table, field: Field, record: TableRow): boolean {
  if (field.derivator !== undefined || field.derived !== undefined) return false;
  if (field.key === 'given') return true;
  if (field.requiredIf !== undefined) return matches(table, field.requiredIf, record);
  return field.required === true && field.requiredWhen === undefined;
}
