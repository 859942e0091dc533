import type { Field, TableRow } from '../table.ts';
import { cutText } from './cut-text.ts';
import { labelOf } from './label-of.ts';
import { presentValues, type ShowGround } from './present-values.ts';

const longestValue = 2_000; // characters

/** One record with a line for each of these fields. */
export async function showRecord(
  ground: ShowGround,
  fields: readonly Field[],
  row: TableRow,
): Promise<string> {
  const labels = fields.map(labelOf);
  const width = Math.max(0, ...labels.map((label) => label.length));
  const lines: string[] = [];
  for (const [index, field] of fields.entries()) {
    const [text = ''] = await presentValues(ground, field, [row]);
    lines.push(`${`${labels[index] ?? ''}:`.padEnd(width + 2)}${cutText(text, longestValue)}`);
  }
  return lines.join('\n');
}
