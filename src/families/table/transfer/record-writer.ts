import type { Json } from '../../../core/index.ts';
import { isTextType } from '../request/comparisons-of.ts';
import type { Field, TableRow } from '../table.ts';
import { plainDigits } from '../values/numbers.ts';
import { guardCell } from './formula-guard.ts';
import { isCsv, type FileLayout } from './layout-of.ts';

/** Produces a file's text, one batch of records at a time. */
interface RecordWriter {
  /** The text before the first record, such as the CSV header. */
  readonly head: string;
  /** Returns the text for the next batch of records. */
  rows(rows: readonly TableRow[]): string;
  /** Returns the text after the last record, such as the end of a JSON list. */
  end(): string;
}

/** Creates a writer for one file with these fields. Reading the file back yields the same records. */
export function createRecordWriter(layout: FileLayout, fields: readonly Field[]): RecordWriter {
  return isCsv(layout)
    ? csvWriter(layout === 'tab' ? '\t' : ',', fields)
    : jsonWriter(layout === 'list', fields);
}

function csvWriter(separator: string, fields: readonly Field[]): RecordWriter {
  const lineOf = (row: TableRow): string =>
    csvLine(
      fields.map((field) => spellCell(field, row[field.name] ?? null)),
      separator,
    );
  return {
    head: csvLine(
      fields.map(({ name }) => guardCell(name)),
      separator,
    ),
    rows: (rows) => rows.map(lineOf).join(''),
    end: () => '',
  };
}

function jsonWriter(isList: boolean, fields: readonly Field[]): RecordWriter {
  let before = isList ? '\n' : '';
  const textOf = (row: TableRow): string => {
    const text = JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])));
    const whole = isList ? before + text : `${text}\n`;
    if (isList) before = ',\n';
    return whole;
  };
  return {
    head: isList ? '[' : '',
    rows: (rows) => rows.map(textOf).join(''),
    end: () => (isList ? `${before === '\n' ? '' : '\n'}]\n` : ''),
  };
}

/** Formats cells as a line of CSV (RFC 4180). Quotes cells that contain any common separator. */
function csvLine(cells: readonly string[], separator: string): string {
  return `${cells.map(quoted).join(separator)}\r\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Formats a value as a cell that reads back as the same value. The cell is empty for a missing value. */
function spellCell({ type }: Pick<Field, 'type'>, value: Json): string {
  if (value === null) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return plainDigits(value);
  return isTextType(type) ? guardCell(String(value)) : String(value);
}
