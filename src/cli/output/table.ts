import type { Terminal } from '../terminal.ts';
import { cutTo, padTo, widthOf } from './text.ts';

/** A table column. `most` is its maximum width; longer cells are truncated. */
export interface Column {
  readonly title: string;
  readonly most?: number;
  /** The minimum width to which the column can be cut. Default: 8. */
  readonly least?: number;
  /** Set if the column is never cut. */
  readonly isWhole?: true;
  /** The order in which columns are dropped from a table that is too wide, lowest number first. */
  readonly dropOrder?: number;
}

/** A table cell. `paint` colours its text after padding or truncation. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const gap = '  ';

/**
 * Formats rows as aligned columns. On a terminal, each row is one line and is cut if needed; in a pipe,
 * nothing is cut.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  terminal: Terminal,
): string {
  const heads = columns.map(({ title }): Cell => ({ text: title }));
  const all = [heads, ...rows];
  // The last column is not padded, so an approximate width suffices; exact widths are slow to compute.
  const measure = (text: string, index: number): number =>
    index === columns.length - 1 ? text.length : widthOf(text);
  const natural = columns.map((column, index): Measured => {
    const { most = Infinity } = column;
    const wide = (width: number, row: readonly Cell[]): number =>
      Math.min(most, Math.max(width, measure(row[index]?.text ?? '', index)));
    return { ...column, index, width: all.reduce(wide, 0) };
  });
  const { width } = terminal;
  const shown = width === undefined ? natural : fitted(natural, width);
  return `${all.map((row) => line(row, shown, width !== undefined)).join('\n')}\n`;
}

/** A column with its width and its position in the rows. */
interface Measured extends Column {
  readonly index: number;
  readonly width: number;
}

const narrowest = 8;

function fitted(columns: readonly Measured[], width: number): readonly Measured[] {
  const left = stay(columns, width);
  return fit(left, width, left.length < columns.length);
}

/** Returns the columns that fit in the width if each one is cut to its minimum. */
function stay(columns: readonly Measured[], width: number): readonly Measured[] {
  const needed = columns.reduce((sum, column) => sum + leastOf(column), gap.length * (columns.length - 1));
  const order = ({ dropOrder = Infinity }: Measured): number => dropOrder;
  const first = columns.reduce<Measured | undefined>(
    (best, column) => (order(column) < (best === undefined ? Infinity : order(best)) ? column : best),
    undefined,
  );
  if (needed <= width || first === undefined) return columns;
  return stay(
    columns.filter((column) => column !== first),
    width,
  );
}

function leastOf({ isWhole, width, least = narrowest }: Measured): number {
  return isWhole === true ? width : Math.min(width, least);
}

/**
 * Fits the columns to the width by shrinking the widest ones. The last column gets at least a third of the
 * line, or its minimum if columns were dropped.
 */
function fit(columns: readonly Measured[], width: number, isNarrow: boolean): readonly Measured[] {
  const widths = columns.map((column) => column.width);
  const last = widths.length - 1;
  const room = width - gap.length * last;
  const lastWidth = Math.min(widths[last] ?? 0, isNarrow ? narrowest : Math.floor(width / 3));
  const others = (): number => widths.slice(0, last).reduce((sum, part) => sum + part, 0);
  const lowest = columns.map(leastOf);
  const mayGive = (index: number): boolean => index < last && (widths[index] ?? 0) > (lowest[index] ?? 0);
  while (others() + lastWidth > room) {
    const giving = [...widths.keys()].filter(mayGive);
    const rest = giving.filter((index) => index > 0);
    // Shrink the first column last, because users need its values in commands.
    const among = isNarrow && rest.length > 0 ? rest : giving;
    const [widest] = among.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  widths[last] = Math.max(0, room - others());
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

function line(row: readonly Cell[], columns: readonly Measured[], mayCut: boolean): string {
  const cells = columns.map(({ index, width, isWhole }, position) => {
    const { text = '', paint } = row[index] ?? {};
    const shown = mayCut && isWhole !== true ? cutTo(text, width) : text;
    const filled = position === columns.length - 1 ? shown : padTo(shown, width);
    return paint === undefined ? filled : paint(filled);
  });
  return cells.join(gap).trimEnd();
}
