import { isNumeric } from '../request/comparisons-of.ts';
import type { Field, TableRow } from '../table.ts';
import { shortLabelOf } from './label-of.ts';
import { presentValues, type ShowContext } from './present-values.ts';
import { showGrid } from './show-grid.ts';

/** Shows records as a plain-text table with one column per field. */
export async function showRows(
  context: ShowContext,
  fields: readonly Field[],
  rows: readonly TableRow[],
): Promise<string> {
  const columns = fields.map((field) => ({
    label: shortLabelOf(field),
    align: isNumeric(field.type) ? ('right' as const) : ('left' as const),
  }));
  const values: (readonly string[])[] = [];
  for (const field of fields) values.push(await presentValues(context, field, rows));
  return showGrid(
    columns,
    rows.map((_row, index) => values.map((column) => column[index] ?? '')),
  );
}
