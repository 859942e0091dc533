import type { Field, TableRow } from '../table.ts';
import { cutText } from './cut-text.ts';
import { labelOf } from './label-of.ts';
import { presentValues, type ShowContext } from './present-values.ts';

const longestValue = 2_000; // The maximum number of characters per value.

/** Shows one record, with one line per field. */
export async function showRecord(
  context: ShowContext,
  fields: readonly Field[],
  row: TableRow,
): Promise<string> {
  const labels = fields.map(labelOf);
  const width = Math.max(0, ...labels.map((label) => label.length));
  const lines: string[] = [];
  for (const [index, field] of fields.entries()) {
    const [text = ''] = await presentValues(context, field, [row]);
    lines.push(`${`${labels[index] ?? ''}:`.padEnd(width + 2)}${cutText(text, longestValue)}`);
  }
  return lines.join('\n');
}
