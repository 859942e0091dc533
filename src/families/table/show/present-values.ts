import type { TableContext } from '../table-context.ts';
import type { Field, TableRow } from '../table.ts';
import { showValue } from '../values/show-value.ts';

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
