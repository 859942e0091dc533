/** What spreadsheets take for the beginning of a formula, behind any number of apostrophes. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A text as a cell that no spreadsheet runs: with an apostrophe in front where one would. Only texts are guarded: what has a form of its own cannot be a formula. */
export function guardCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text that a guarded cell stands for; every other one is itself. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
