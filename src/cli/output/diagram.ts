import { cutTo, oneLine, padTo, widthOf, wrapTo } from './text.ts';

/** A diagram row: an item, an arrow, and the items that it is connected to. */
export interface ArrowRow {
  /** The text at the start of the row, empty in most diagrams. */
  readonly start: string;
  /** The text that replaces `start` on the row's continuation lines. */
  readonly stem: string;
  readonly cells: readonly [string, string];
  readonly arrow: '←' | '→';
  /**
   * The items after the arrow. Each item but the last ends with a comma. Items are not split across lines.
   */
  readonly parts: readonly string[];
}

interface Columns {
  readonly start: number;
  readonly first: number;
  readonly second: number;
  /** The width of a line, or undefined if lines must not be truncated. */
  readonly width: number | undefined;
}

const usualWidth = 80;

/** Draws rows with aligned arrows. Without a width, draws for 80 columns and does not truncate lines. */
export function arrowLines(rows: readonly ArrowRow[], width: number | undefined): readonly string[] {
  const columns = columnsFor(rows, width);
  return rows.flatMap((row) => linesOf(row, columns));
}

/**
 * Computes the column widths. Each of the two columns gets at most a quarter of the line, plus any space that
 * the other column leaves unused in its quarter.
 */
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

/** Formats a row. Items that do not fit on the line continue on the next lines. */
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

/**
 * Escapes text for a label in a Mermaid chart by replacing special Mermaid and HTML characters with character
 * codes.
 */
export function mermaidLabel(text: string): string {
  return oneLine(text).replace(
    /[^\p{L}\p{M}\p{N} _.,/$-]/gu,
    (character) => `#${character.codePointAt(0) ?? 0};`,
  );
}

/** Adds a comma to each item but the last. */
export function withCommas(parts: readonly string[]): readonly string[] {
  return parts.map((part, index) => (index < parts.length - 1 ? `${part},` : part));
}
