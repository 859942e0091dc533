import { extname } from 'node:path';
import {
  AgentError,
  fromErrorData,
  optional,
  type Json,
  type JsonObject,
  type Scope,
} from '../../../core/index.ts';
import { plainDigits } from '../../../engines/values/numbers.ts';
import { isTextType } from '../../../engines/values/types.ts';
import { guardCell, quoteCell, workspaceOnly, writeFile } from '../../../files/index.ts';
import type { Records, Window } from '../records/records.ts';
import type { ExportRequest, ImportRequest } from '../request/request.ts';
import type { TableContext } from '../table-context.ts';
import { fieldsNamed, type Field, type TableRow } from '../table.ts';

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

/** Formats a value as a cell that reads back as the same value. The cell is empty for a missing value. */
function spellCell({ type }: Pick<Field, 'type'>, value: Json): string {
  if (value === null) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return plainDigits(value);
  return isTextType(type) ? guardCell(String(value)) : String(value);
}

/** Asks for permission under the general rules for reading and writing files. Throws if it is denied. */
export async function askPermission(scope: Scope, skill: 'read' | 'write', input: JsonObject): Promise<void> {
  const output = await scope.call(skill, input, { permissionOnly: true });
  if (output.status === 'failed') throw fromErrorData(output.error);
}

/** The result of an export. */
export type Exported = { readonly path: string; readonly rows: number; readonly bytes: number };

const atOnce = 1000; // The number of records held in memory at once.
const shownRows = 20;
const shownCharacters = 4000;
const noteEvery = 20_000; // The number of rows between two progress reports.
const maxNotes = 100;

/**
 * Writes records to a workspace file, if the rules for writing files allow it. The approval shows the start
 * of the file. The file is replaced only after all records are written.
 */
export async function exportRecords(
  request: ExportRequest,
  context: Pick<TableContext, 'table' | 'records'>,
  scope: Scope,
): Promise<Exported> {
  const { file } = request;
  const area = workspaceOnly(scope.files.workspace);
  const layout = layoutOf(request);
  const { table } = context;
  const fields = request.fields === undefined ? table.fields : fieldsNamed(table, request.fields);
  const window = { ...optional('where', request.where), ...optional('sort', request.sort) };
  const asked = { operation: 'export', file, layout };
  const content = await scope.step(
    `preview:${file}`,
    () => beginning(layout, fields, context.records, window),
    asked,
  );
  await askPermission(scope, 'write', { file_path: file, content });
  return scope.step(
    `export:${file}`,
    async (): Promise<Exported> => {
      const count = { rows: 0, bytes: 0 };
      const text = textOf(layout, fields, context.records.each(window, atOnce), { count, file, scope });
      const { shown } = await writeFile(area, file, text);
      return { path: shown, ...count };
    },
    asked,
  );
}

/** Returns the beginning of the file to show in the approval. */
async function beginning(
  layout: FileLayout,
  fields: readonly Field[],
  records: Records,
  window: Window,
): Promise<string> {
  const { head, record, end } = formats[layout];
  const { rows, total } = await records.list({ ...window, limit: shownRows });
  const text = head(fields) + rows.map((row, index) => record(fields, row, index === 0)).join('');
  const isWhole = total <= rows.length && text.length <= shownCharacters;
  if (isWhole) return text + end(rows.length === 0);
  return `${text.slice(0, shownCharacters)}\n… (${total.toLocaleString('en')} records in all)`;
}

interface Progress {
  readonly count: { rows: number; bytes: number };
  readonly file: string;
  readonly scope: Scope;
}

async function* textOf(
  layout: FileLayout,
  fields: readonly Field[],
  batches: AsyncIterable<readonly TableRow[]>,
  { count, file, scope }: Progress,
): AsyncGenerator<Buffer> {
  const { head, record, end } = formats[layout];
  const encode = (text: string): Buffer => {
    scope.signal.throwIfAborted();
    const bytes = Buffer.from(text, 'utf8');
    count.bytes += bytes.length;
    return bytes;
  };
  yield encode(head(fields));
  for await (const rows of batches) {
    const before = count.rows;
    yield encode(rows.map((row, index) => record(fields, row, before + index === 0)).join(''));
    count.rows += rows.length;
    const isFar = Math.floor(count.rows / noteEvery) > Math.floor(before / noteEvery);
    if (isFar && count.rows < maxNotes * noteEvery)
      scope.note(`Wrote ${count.rows.toLocaleString('en')} records to ${file}.`);
  }
  yield encode(end(count.rows === 0));
}
