import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../terminal.ts';

/** Rows as aligned columns; the last column is cut to the terminal's width. */
export function table(rows: readonly (readonly string[])[], terminal: Terminal): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map((row) => {
    const line = row.map((cell, index) => (index < columns - 1 ? cell.padEnd(widths[index] ?? 0) : cell)).join('  ');
    return cut(line.trimEnd(), terminal.width);
  });
  return `${lines.join('\n')}\n`;
}

/** Text on one line that a terminal shows as it is: no control sequences, no line ends. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- descriptions come from files and must not steer the terminal
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').replace(/\s+/g, ' ').trim();
}

function cut(line: string, width: number | undefined): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
