import type { Terminal } from '../terminal.ts';
import { cutTo, padTo, widthOf } from './text.ts';

/** One column; `most` is the width from which it is not made wider for a single long cell. */
export interface Column {
  readonly title: string;
  readonly most?: number;
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
  const natural = columns.map(({ most = Infinity }, index) =>
    all.reduce((width, row) => Math.min(most, Math.max(width, measure(row[index]?.text ?? '', index))), 0),
  );
  const widths = terminal.width === undefined ? natural : fit(natural, terminal.width);
  const lines = all.map((row) => line(row, widths, terminal.width !== undefined));
  return `${lines.join('\n')}\n`;
}

const narrowest = 8;

/** The last column gets at least a third of the line; the widest of the others give way. */
function fit(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const last = widths.length - 1;
  const room = width - gap.length * last;
  const wanted = Math.min(natural[last] ?? 0, Math.floor(width / 3));
  const others = (): number => widths.slice(0, last).reduce((sum, part) => sum + part, 0);
  while (others() + wanted > room) {
    const widest = Math.max(...widths.slice(0, last));
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  widths[last] = Math.max(0, room - others());
  return widths;
}

function line(row: readonly Cell[], widths: readonly number[], mayCut: boolean): string {
  const cells = row.map(({ text, paint }, index) => {
    const width = widths[index] ?? 0;
    const shown = mayCut ? cutTo(text, width) : text;
    const filled = index === row.length - 1 ? shown : padTo(shown, width);
    return paint === undefined ? filled : paint(filled);
  });
  return cells.join(gap).trimEnd();
}
