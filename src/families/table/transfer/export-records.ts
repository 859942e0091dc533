import { optional, type Scope } from '../../../core/index.ts';
import { workspaceOnly, writeFile } from '../../../files/index.ts';
import { fieldsNamed, type Field, type TableRow } from '../table.ts';
import type { TableContext } from '../table-context.ts';
import type { Records, Window } from '../records/records.ts';
import type { ExportRequest } from '../request/request.ts';
import { askPermission, formats, layoutOf, type FileLayout } from './formats.ts';

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
