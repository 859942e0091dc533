import { stripVTControlCharacters } from 'node:util';
import { cutTo, rowsOf } from './text.ts';

/** The size of a terminal, in characters. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** Lines at the bottom of a terminal that are redrawn in place. */
export interface LiveLines {
  screen(): Screen;
  /** Replaces the displayed lines. If the screen is too small, shows only the last lines. */
  show(lines: readonly string[]): void;
  /** Removes the lines, but not the footer. */
  wipe(): void;
  /** Shows lines below all others, with the cursor in them, or removes them. */
  setFooter(footer: Footer | undefined): void;
  /** Removes everything from the screen for a moment, so that `write` can write text that stays. */
  above(write: () => void): void;
}

/** The line that the user is typing. */
export interface Footer {
  readonly lines: readonly string[];
  /** The position of the cursor in the lines, from 0. */
  readonly row: number;
  readonly column: number;
}

/** The terminal that lines are drawn on. */
interface Surface {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** The lines on the screen, and the number of rows from the cursor to their end. */
interface Drawn {
  readonly lines: readonly string[];
  readonly up: number;
  readonly column: number;
}

const nothing: Drawn = { lines: [], up: 0, column: 0 };

/** Creates live lines on a terminal that can move its cursor. */
export function createLiveLines(surface: Surface): LiveLines {
  let body: readonly string[] = [];
  let footer: Footer | undefined;
  let shown = nothing;
  let width = Infinity; // The screen's width when the lines were last drawn.
  const screen = (): Screen => ({ columns: surface.columns || 80, rows: surface.rows || 24 });
  const replace = (next: Drawn): void => {
    const { columns, rows } = screen();
    const count = shown.lines.length;
    const broken = columns < width ? Math.min(brokenRows(shown.lines, columns), rows - 1) : count;
    const text = redraw(shown.lines, next.lines, broken);
    const isMoved = text !== '' || next.up !== shown.up || next.column !== shown.column;
    if (isMoved) surface.write(`${moveDown(shown.up)}${text}${moveInto(next)}`);
    shown = next;
    width = columns;
  };
  const draw = (): void => {
    const { columns, rows } = screen();
    const below = (footer?.lines ?? []).slice(-Math.max(1, rows - 1));
    const lines = [...fitting(body, { columns, rows: rows - below.length }), ...below];
    if (footer === undefined) return replace({ lines, up: 0, column: 0 });
    replace({ lines, up: Math.min(footer.lines.length - footer.row, lines.length), column: footer.column });
  };
  const wipe = (): void => {
    body = [];
    draw();
  };
  return {
    screen,
    show(lines) {
      body = lines;
      draw();
    },
    wipe,
    setFooter(next) {
      footer = next;
      draw();
    },
    above(write) {
      if (footer === undefined) wipe();
      else replace(nothing);
      write();
      if (footer !== undefined) draw();
    },
  };
}

/** Moves the cursor from the footer to below the lines, where drawing starts. */
function moveDown(rows: number): string {
  return rows === 0 ? '' : `\u001b[${rows}B\r`;
}

function moveInto({ up, column }: Drawn): string {
  if (up === 0) return '';
  return `\u001b[${up}A\r${column === 0 ? '' : `\u001b[${column}C`}`;
}

/**
 * Returns the last lines that fit on a screen, preceded by the number of hidden lines. One row is reserved
 * for the cursor. Pure.
 */
export function fitting(lines: readonly string[], { columns, rows }: Screen): readonly string[] {
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return lines;
  if (room === 1) return lines.slice(-1);
  const hidden = lines.length - room + 1;
  return [cutTo(`… ${hidden} lines above`, columns - 1), ...lines.slice(hidden)];
}

/**
 * Returns the control sequences that redraw lines. The cursor must be below the old lines and ends below the
 * new ones. `rows` is the number of rows that the old lines occupy; this is larger if a narrower screen
 * wrapped them. Pure.
 */
export function redraw(before: readonly string[], lines: readonly string[], rows = before.length): string {
  const isBroken = rows !== before.length;
  const isSame = before.length === lines.length && lines.every((line, index) => line === before[index]);
  if (isSame && !isBroken) return '';
  const up = before.length === 0 ? '\r' : `\u001b[${rows}A\r`;
  const drawn = lines.map((line) => `\u001b[2K${line}\n`).join('');
  if (isBroken) return `${up}\u001b[J${drawn}`;
  return `${up}${drawn}${before.length > lines.length ? '\u001b[J' : ''}`;
}

/**
 * Returns the number of rows that lines occupy after the screen became narrower. Most terminals then wrap
 * lines that are too long.
 */
function brokenRows(lines: readonly string[], columns: number): number {
  return lines.flatMap((line) => rowsOf(stripVTControlCharacters(line), columns)).length;
}
