import { extname } from 'node:path';
import { AgentError } from '../../../core/index.ts';
import type { ExportRequest, ImportRequest } from '../request/request.ts';

/** How records stand in a file: CSV with commas or tabs, a JSON list, or a JSON object in each line. */
export type FileLayout = 'comma' | 'tab' | 'list' | 'lines';

/** How a file is laid out, by what was asked for and by its name; throws `usage.bad-input` when neither tells. */
export function layoutOf({
  file,
  format,
}: Pick<ImportRequest | ExportRequest, 'file' | 'format'>): FileLayout {
  const named = layouts.get(extname(file).toLowerCase());
  if (format === undefined && named === undefined) {
    throw new AgentError('usage.bad-input', `The name of "${file}" does not tell its format.`, {
      hint: 'Say the format, csv or json, or use a name that ends with .csv or .json.',
    });
  }
  if (named !== undefined && (format === undefined || (format === 'csv') === isCsv(named))) return named;
  return format === 'csv' ? 'comma' : 'list';
}

/** Whether rows of cells stand below a head. */
export function isCsv(layout: FileLayout): layout is 'comma' | 'tab' {
  return layout === 'comma' || layout === 'tab';
}

const layouts: ReadonlyMap<string, FileLayout> = new Map([
  ['.csv', 'comma'],
  ['.tsv', 'tab'],
  ['.json', 'list'],
  ['.jsonl', 'lines'],
  ['.ndjson', 'lines'],
]);
