/** Cells as one line of CSV, by RFC 4180; those that hold any of the usual separators are quoted. */
export function csvLine(cells: readonly string[], separator: string): string {
  return `${cells.map(quoted).join(separator)}\r\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
