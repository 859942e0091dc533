import { cutTo, oneLine, padTo, widthOf, wrapTo } from './text.ts';

/** What one thing leads to, or waits for. */
export interface ArrowRow {
  /** In front of everything; empty for most drawings. */
  readonly start: string;
  /** In its place where the row goes on in further lines. */
  readonly stem: string;
  readonly cells: readonly [string, string];
  readonly arrow: '←' | '→';
  /** With a comma where another follows; each stays whole. */
  readonly parts: readonly string[];
}

interface Columns {
  readonly start: number;
  readonly first: number;
  readonly second: number;
  /** Of the whole line; undefined when nothing may be cut. */
  readonly width: number | undefined;
}

const usualWidth = 80;

/** Rows under each other, their arrows in one column; where no width is given, for 80 columns and whole. */
export function arrowLines(rows: readonly ArrowRow[], width: number | undefined): readonly string[] {
  const columns = columnsFor(rows, width);
  return rows.flatMap((row) => linesOf(row, columns));
}

/** A single long cell does not make its column wider than a quarter of the line, or what the other column leaves of both quarters. */
function columnsFor(rows: readonly ArrowRow[], width: number | undefined): Columns {
  const most = Math.floor((width ?? usualWidth) / 4);
  const first = widestOf(rows.map(({ cells }) => cells[0]));
  const second = widestOf(rows.map(({ cells }) => cells[1]));
  return {
    start: widestOf(rows.map(({ start }) => start)),
    first: Math.min(first, Math.max(most, 2 * most - second)),
    second: Math.min(second, Math.max(most, 2 * most - first)),
    width,
  };
}

function widestOf(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0);
}

/** What stands behind the arrow goes on below itself where one line is too short. */
function linesOf({ start, stem, cells, arrow, parts }: ArrowRow, columns: Columns): readonly string[] {
  const { width } = columns;
  const left = `${padTo(start, columns.start)}${padTo(cells[0], columns.first)}  ${padTo(cells[1], columns.second)}`;
  const below = padTo(stem, columns.start + columns.first + columns.second + 6);
  const room = (width ?? usualWidth) - widthOf(below);
  const [first, ...more] = wrapTo(parts, ' ', width === undefined ? Math.max(room, widestOf(parts)) : room);
  const lines = [
    first === undefined ? left : `${left}  ${arrow} ${first}`,
    ...more.map((part) => below + part),
  ];
  return lines.map((line) => (width === undefined ? line : cutTo(line, width)).trimEnd());
}

/** Text for a label of a Mermaid chart: whatever could mean something to Mermaid or to HTML is written as the number of its character. */
export function mermaidLabel(text: string): string {
  return oneLine(text).replace(/[^\p{L}\p{M}\p{N} _.,/$-]/gu, (letter) => `#${letter.codePointAt(0) ?? 0};`);
}

/** Parts of an enumeration: each but the last with a comma behind it. */
export function withCommas(parts: readonly string[]): readonly string[] {
  return parts.map((part, index) => (index < parts.length - 1 ? `${part},` : part));
}
