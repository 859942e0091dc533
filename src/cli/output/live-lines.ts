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
  /** Removes the lines. */
  wipe(): void;
}

/** The terminal that lines are drawn on. */
interface Surface {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** Creates live lines on a terminal that can move its cursor. */
export function createLiveLines(surface: Surface): LiveLines {
  let shown: readonly string[] = [];
  let width = Infinity; // The screen's width when the lines were last drawn.
  const screen = (): Screen => ({ columns: surface.columns || 80, rows: surface.rows || 24 });
  const replace = (lines: readonly string[]): void => {
    const { columns, rows } = screen();
    const broken = columns < width ? Math.min(brokenRows(shown, columns), rows - 1) : shown.length;
    const text = redraw(shown, lines, broken);
    if (text !== '') surface.write(text);
    shown = lines;
    width = columns;
  };
  return { screen, show: (lines) => replace(fitting(lines, screen())), wipe: () => replace([]) };
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
