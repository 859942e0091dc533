import type { Field, Table, TableRow } from '../table.ts';
import { sameJson } from './same-json.ts';

/** The fields of which a record has another value than before. */
export function changedFields({ fields }: Table, before: TableRow, after: TableRow): readonly Field[] {
  return fields.filter(({ name }) => !sameJson(before[name], after[name]));
}
