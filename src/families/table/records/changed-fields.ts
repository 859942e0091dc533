import type { Field, Table, TableRow } from '../table.ts';
import { sameJson } from './same-json.ts';

/** Returns the fields whose values differ between two versions of a record. */
export function changedFields({ fields }: Table, before: TableRow, after: TableRow): readonly Field[] {
  return fields.filter(({ name }) => !sameJson(before[name], after[name]));
}
