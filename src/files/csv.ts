import { pipeline } from 'node:stream/promises';
import { badFile, tooLarge } from './text-pieces.ts';

/**
 * Receives a row's cells, the number of the row's first line and the separator. Reading stops if this
 * function throws.
 */
export type TakeRow = (cells: readonly string[], line: number, separator: string) => void;

const longestRow = 4_000_000; // The maximum size of a row, in bytes.

/**
 * Reads CSV rows, including the header, and skips empty lines. Throws `usage.bad-input` with the line number
 * if a row is invalid.
 */
export async function readCsv(pieces: AsyncGenerator<Buffer>, shown: string, take: TakeRow): Promise<void> {
  const first = await pieces.next();
  if (first.done === true) return;
  const delimiter = separatorOf(first.value.toString('utf8'));
  const rows = countRows((cells, line) => {
    take(cells, line, delimiter);
  });
  const { parse } = await import('csv-parse');
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
    on_record: (cells: readonly string[], { empty_lines }) => rows.take(cells, empty_lines),
  });
  const lineNow = (): number => rows.next() + parser.info.empty_lines;
  const text = checkRows(first.value, pieces, () => tooLong(shown, lineNow()));
  try {
    parser.resume(); // Discard the output: the `on_record` callback handles the rows.
    await pipeline(text, parser);
  } catch (thrown) {
    throw rowFault(thrown, shown, lineNow());
  }
}

/** Determines each row's first line number. The parser's own count is wrong if quoted cells contain CRLF. */
function countRows(take: (cells: readonly string[], line: number) => void): {
  take(cells: readonly string[], emptyLines: number): null;
  /** Returns the line number of the next row, not counting empty lines. */
  next(): number;
} {
  let next = 1;
  return {
    take(cells, emptyLines) {
      const line = next + emptyLines;
      for (const cell of cells) if (/[\r\n]/.test(cell)) next += cell.split(/\r\n|\r|\n/).length - 1;
      next += 1;
      take(cells, line);
      return null; // Null tells the parser to discard the row.
    },
    next: () => next,
  };
}

/**
 * Forwards all chunks and limits the length of rows. The parser does not limit a row that contains only
 * separators.
 */
async function* checkRows(
  first: Buffer,
  more: AsyncGenerator<Buffer>,
  fault: () => Error,
): AsyncGenerator<Buffer> {
  let length = 0;
  for (let piece = first; ;) {
    const end = Math.max(piece.lastIndexOf(10), piece.lastIndexOf(13));
    length = end < 0 ? length + piece.length : piece.length - end;
    if (length > longestRow) throw fault();
    yield piece;
    const next = await more.next();
    if (next.done === true) return;
    piece = next.value;
  }
}

function rowFault(thrown: unknown, shown: string, line: number): unknown {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(shown, line);
  const says = faults.get(String(code));
  if (says === undefined) return thrown;
  const hint =
    'If a cell contains quotes, separators or line breaks, enclose the cell in quotes and double each quote inside it.';
  return badFile(`Line ${line} of "${shown}" ${says}.`, hint, line, thrown);
}

const faults: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'begins a row with a quote that is never closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'begins a row with text after a closing quote'],
  ['INVALID_OPENING_QUOTE', 'begins a row with a quote inside an unquoted cell'],
]);

function tooLong(shown: string, line: number): Error {
  const what = `The row on line ${line} of "${shown}" is longer than ${longestRow.toLocaleString('en')} bytes.`;
  return tooLarge(what, 'Check that line for an unclosed quote.');
}

const separators = [',', ';', '\t'] as const;

/** Returns the separator that occurs most often outside quotes in the first line. */
function separatorOf(text: string): string {
  const counts = new Map<string, number>(separators.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (char === '\n' || char === '\r') break;
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Quotes a cell that contains a quote, a line break or any common separator. */
export function quoteCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

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

const twofold = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * Reads a number with a decimal comma, as spreadsheets write it in semicolon-separated files: `1.234,50`.
 * Returns other text unchanged. In `1.500` and `1,500`, the separator is ambiguous, so both readings are
 * returned.
 */
export function readCommaNumber(cell: string): string | readonly [string, string] {
  const text = cell.trim();
  if (twofold.test(text)) {
    const fraction = String(Number(text.replace(',', '.')));
    return [text.replace(/[.,]/, ''), twofold.test(fraction) ? `${fraction}0` : fraction];
  }
  if (/^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/.test(text) ? text.replaceAll('.', '') : cell;
}
