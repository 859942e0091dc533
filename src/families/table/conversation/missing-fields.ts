import { isRequired } from '../rules/is-required.ts';
import type { Field, Table, TableRow } from '../table.ts';

/** The fields that new records need and nobody has said yet, of those that are asked for. */
export function missingFields(table: Table, records: readonly TableRow[]): readonly Field[] {
  const given = table.interactive.filter(({ derivator }) => derivator === undefined);
  return given.filter((field) =>
    records.some((record) => (record[field.name] ?? null) === null && isRequired(table, field, record)),
  );
}
