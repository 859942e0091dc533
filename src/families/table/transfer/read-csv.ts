import { pipeline } from 'node:stream/promises';
import { AgentError } from '../../../core/index.ts';

/** Takes the cells of one row, the line on which it begins, and what stands between cells; what it throws ends the reading. */
export type TakeRow = (cells: readonly string[], line: number, separator: string) => void;

const longestRow = 4_000_000; // bytes

/** Reads the rows of CSV, the head among them; lines without anything are left out. Throws `usage.bad-input` with the line. */
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
    parser.resume(); // rows were taken before
    await pipeline(text, parser);
  } catch (thrown) {
    throw rowFault(thrown, shown, lineNow());
  }
}

/** Adds the lines on which rows begin. Those that the parser counts are wrong where a quoted cell holds CR and LF. */
function countRows(take: (cells: readonly string[], line: number) => void): {
  take(cells: readonly string[], emptyLines: number): null;
  /** The line of the next row, without those that are empty. */
  next(): number;
} {
  let next = 1;
  return {
    take(cells, emptyLines) {
      const line = next + emptyLines;
      for (const cell of cells) if (/[\r\n]/.test(cell)) next += cell.split(/\r\n|\r|\n/).length - 1;
      next += 1;
      take(cells, line);
      return null; // the parser keeps nothing
    },
    next: () => next,
  };
}

/** Gives all pieces on. A row of nothing but separators has cells without end, and no length that the parser counts. */
async function* checkRows(
  first: Buffer,
  more: AsyncGenerator<Buffer>,
  fault: () => AgentError,
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
  return new AgentError('usage.bad-input', `Line ${line} of "${shown}" ${says}.`, {
    hint: 'Put a cell with quotes, separators or line breaks in quotes, and double each quote in it.',
    details: { line },
    cause: thrown,
  });
}

const faults: ReadonlyMap<string, string> = new Map([
  ['CSV_QUOTE_NOT_CLOSED', 'begins a row with a quote that is never closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'begins a row in which something follows a closing quote'],
  ['INVALID_OPENING_QUOTE', 'begins a row with a quote inside a cell that is not quoted'],
]);

function tooLong(shown: string, line: number): AgentError {
  const most = longestRow.toLocaleString('en');
  return new AgentError(
    'limit.too-large',
    `The row on line ${line} of "${shown}" is longer than ${most} bytes.`,
    {
      hint: 'Perhaps a quote is not closed: look at that line.',
    },
  );
}

const separators = [',', ';', '\t'] as const;

/** What stands between cells, by the first line of a text: whichever is there most often outside of quotes. */
function separatorOf(text: string): string {
  const counts = new Map<string, number>(separators.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (letter === '\n' || letter === '\r') break;
    const count = counts.get(letter);
    if (count !== undefined) counts.set(letter, count + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
