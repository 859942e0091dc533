import type { Terminal } from '../terminal.ts';
import { cutTo, padTo, widthOf } from './text.ts';

/** One column; `most` is the width from which it is not made wider for a single long cell. */
export interface Column {
  readonly title: string;
  readonly most?: number;
  /** Columns below which it is not cut; 8 unless said. */
  readonly least?: number;
  /** It is never cut. */
  readonly isWhole?: true;
  /** It is left out where there is no room, the lowest number first. */
  readonly leaves?: number;
}

/** A cell, and how to paint it once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const gap = '  ';

/** Rows under aligned columns. On a terminal each row is one line, cut where it must be; in a pipe nothing is lost. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  terminal: Terminal,
): string {
  const heads = columns.map(({ title }): Cell => ({ text: title }));
  const all = [heads, ...rows];
  // The last column is not padded, so a guess at its width is enough; measuring long texts takes its time.
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

/** A column as wide as it is to be, and its place in the rows. */
interface Measured extends Column {
  readonly index: number;
  readonly width: number;
}

const narrowest = 8;

function fitted(columns: readonly Measured[], width: number): readonly Measured[] {
  const left = stay(columns, width);
  return fit(left, width, left.length < columns.length);
}

/** The columns for which there is room when those that may be cut are as narrow as they can be. */
function stay(columns: readonly Measured[], width: number): readonly Measured[] {
  const needed = columns.reduce((sum, column) => sum + leastOf(column), gap.length * (columns.length - 1));
  const order = ({ leaves = Infinity }: Measured): number => leaves;
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

/** The last column gets at least a third of the line, or what it must have where others had to leave; the widest of the others give way. */
function fit(columns: readonly Measured[], width: number, isNarrow: boolean): readonly Measured[] {
  const widths = columns.map((column) => column.width);
  const last = widths.length - 1;
  const room = width - gap.length * last;
  const wanted = Math.min(widths[last] ?? 0, isNarrow ? narrowest : Math.floor(width / 3));
  const others = (): number => widths.slice(0, last).reduce((sum, part) => sum + part, 0);
  const lowest = columns.map(leastOf);
  const mayGive = (index: number): boolean => index < last && (widths[index] ?? 0) > (lowest[index] ?? 0);
  while (others() + wanted > room) {
    const giving = [...widths.keys()].filter(mayGive);
    const rest = giving.filter((index) => index > 0);
    const among = isNarrow && rest.length > 0 ? rest : giving; // the first is what people type
    const [widest] = among.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  widths[last] = Math.max(0, room - others());
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

function line(row: readonly Cell[], columns: readonly Measured[], mayCut: boolean): string {
  const cells = columns.map(({ index, width, isWhole }, place) => {
    const { text = '', paint } = row[index] ?? {};
    const shown = mayCut && isWhole !== true ? cutTo(text, width) : text;
    const filled = place === columns.length - 1 ? shown : padTo(shown, width);
    return paint === undefined ? filled : paint(filled);
  });
  return cells.join(gap).trimEnd();
}
