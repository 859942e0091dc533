import { cutText } from '../../core/index.ts';

/** A column of a plain-text table. */
interface GridColumn {
  readonly label: string;
  readonly align: 'left' | 'right';
}

const widestCell = 40; // The maximum width of a cell, in characters.
const widestGrid = 160;

/**
 * Formats rows as an aligned plain-text table. Each cell stays on one line. Columns that do not fit are
 * listed below the table.
 */
export function showGrid(columns: readonly GridColumn[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cutText(cell, widestCell)));
  const labels = columns.map(({ label }) => cutText(label, widestCell));
  const widths = labels.map((label, index) =>
    Math.max(lengthOf(label), ...cells.map((row) => lengthOf(row[index] ?? ''))),
  );
  const shown = columnsThatFit(widths);
  const line = (row: readonly string[]): string =>
    widths
      .slice(0, shown)
      .map((width, index) => padded(row[index] ?? '', width, columns[index]?.align))
      .join('  ')
      .trimEnd();
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const left = labels.slice(shown);
  const rest = left.length === 0 ? [] : [`Not shown: ${left.join(', ')}.`];
  return [line(labels), rule, ...cells.map(line), ...rest].join('\n');
}

function columnsThatFit(widths: readonly number[]): number {
  let total = 0;
  for (const [index, width] of widths.entries()) {
    total += width + 2;
    if (total > widestGrid && index > 0) return index;
  }
  return widths.length;
}

function padded(cell: string, width: number, align: GridColumn['align'] | undefined): string {
  const padding = ' '.repeat(Math.max(0, width - lengthOf(cell)));
  return align === 'right' ? padding + cell : cell + padding;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
