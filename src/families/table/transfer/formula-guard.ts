/** Matches the start of a spreadsheet formula, after any number of apostrophes. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Puts an apostrophe before text that looks like a formula, so that spreadsheets do not evaluate it. Only
 * text needs this; values of other types cannot be formulas.
 */
export function guardCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe that `guardCell` added to a cell. Returns other cells unchanged. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
