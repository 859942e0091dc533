import { stripVTControlCharacters } from 'node:util';
import { cutTo, rowsOf } from './text.ts';

/** How much a terminal shows. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** Lines at the end of a terminal that are drawn again in place. */
export interface LiveLines {
  screen(): Screen;
  /** Puts these lines where the last ones are; only the latest that the screen has room for. */
  show(lines: readonly string[]): void;
  /** Takes them away. */
  wipe(): void;
}

/** What is drawn on. */
interface Surface {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** Live lines on a terminal that can move its cursor. */
export function createLiveLines(surface: Surface): LiveLines {
  let shown: readonly string[] = [];
  let width = Infinity; // of the screen when they were drawn
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

/** The last lines that a screen has room for, with a word about the others; the cursor needs a row of its own. Pure. */
export function fitting(lines: readonly string[], { columns, rows }: Screen): readonly string[] {
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return lines;
  if (room === 1) return lines.slice(-1);
  const hidden = lines.length - room + 1;
  return [cutTo(`… ${hidden} lines above`, columns - 1), ...lines.slice(hidden)];
}

/** The control sequences that put lines in the place of others, with the cursor below them before and after. Lines that a narrower screen broke take more rows than they are. Pure. */
export function redraw(before: readonly string[], lines: readonly string[], rows = before.length): string {
  const isBroken = rows !== before.length;
  const isSame = before.length === lines.length && lines.every((line, index) => line === before[index]);
  if (isSame && !isBroken) return '';
  const up = before.length === 0 ? '\r' : `\u001b[${rows}A\r`;
  const drawn = lines.map((line) => `\u001b[2K${line}\n`).join('');
  if (isBroken) return `${up}\u001b[J${drawn}`;
  return `${up}${drawn}${before.length > lines.length ? '\u001b[J' : ''}`;
}

/** Most terminals break what does not fit any more when they are made narrower. */
function brokenRows(lines: readonly string[], columns: number): number {
  return lines.flatMap((line) => rowsOf(stripVTControlCharacters(line), columns)).length;
}
