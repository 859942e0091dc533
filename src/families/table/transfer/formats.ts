import { extname } from 'node:path';
import { AgentError, fromErrorData, type Json, type JsonObject, type Scope } from '../../../core/index.ts';
import { isTextType } from '../request/conditions.ts';
import type { ExportRequest, ImportRequest } from '../request/request.ts';
import type { Field, TableRow } from '../table.ts';
import { plainDigits } from '../values/numbers.ts';

/** The layout of a file with records: CSV with commas or tabs, a JSON list, or one JSON object per line. */
export type FileLayout = 'comma' | 'tab' | 'list' | 'lines';

/** A file format. Reading a file that was written with it yields the same records. */
interface FileFormat {
  readonly extensions: readonly string[];
  /** Whether the file has rows of cells below a header. */
  readonly isCsv: boolean;
  /** Returns the text before the first record. */
  head(fields: readonly Field[]): string;
  /** Returns the text of a record. */
  record(fields: readonly Field[], row: TableRow, isFirst: boolean): string;
  /** Returns the text after the last record. */
  end(isEmpty: boolean): string;
}

const jsonOf: FileFormat['record'] = (fields, row) =>
  JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])));

const csv = (separator: string, extension: string): FileFormat => {
  const line = (cells: readonly string[]): string => `${cells.map(quoteCell).join(separator)}\r\n`; // RFC 4180
  return {
    extensions: [extension],
    isCsv: true,
    head: (fields) => line(fields.map(({ name }) => guardCell(name))),
    record: (fields, row) => line(fields.map((field) => spellCell(field, row[field.name] ?? null))),
    end: () => '',
  };
};

/** The formats of import and export files. */
export const formats: Readonly<Record<FileLayout, FileFormat>> = {
  comma: csv(',', '.csv'),
  tab: csv('\t', '.tsv'),
  list: {
    extensions: ['.json'],
    isCsv: false,
    head: () => '[',
    record: (fields, row, isFirst) => (isFirst ? '\n' : ',\n') + jsonOf(fields, row, isFirst),
    end: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
  },
  lines: {
    extensions: ['.jsonl', '.ndjson'],
    isCsv: false,
    head: () => '',
    record: (fields, row, isFirst) => `${jsonOf(fields, row, isFirst)}\n`,
    end: () => '',
  },
};

/**
 * Determines a file's layout from the requested format and the file name. Throws `usage.bad-input` if neither
 * is enough.
 */
export function layoutOf({
  file,
  format,
}: Pick<ImportRequest | ExportRequest, 'file' | 'format'>): FileLayout {
  const extension = extname(file).toLowerCase();
  const layouts = Object.keys(formats) as FileLayout[];
  const named = layouts.find((layout) => formats[layout].extensions.includes(extension));
  if (format === undefined && named === undefined) {
    throw new AgentError('usage.bad-input', `The format of "${file}" cannot be determined from its name.`, {
      hint: 'Set the format to csv or json, or use a file name that ends with .csv or .json.',
    });
  }
  if (named !== undefined && (format === undefined || (format === 'csv') === formats[named].isCsv))
    return named;
  return format === 'csv' ? 'comma' : 'list';
}

/** Quotes a cell that contains a quote, a line break or any common separator. */
function quoteCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Formats a value as a cell that reads back as the same value. The cell is empty for a missing value. */
function spellCell({ type }: Pick<Field, 'type'>, value: Json): string {
  if (value === null) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return plainDigits(value);
  return isTextType(type) ? guardCell(String(value)) : String(value);
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

/** Asks for permission under the general rules for reading and writing files. Throws if it is denied. */
export async function askPermission(scope: Scope, skill: 'read' | 'write', input: JsonObject): Promise<void> {
  const output = await scope.call(skill, input, { permissionOnly: true });
  if (output.status === 'failed') throw fromErrorData(output.error);
}
