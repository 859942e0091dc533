import { extname } from 'node:path';
import { AgentError } from '../../../core/index.ts';
import type { ExportRequest, ImportRequest } from '../request/request.ts';

/** The layout of a file with records: CSV with commas or tabs, a JSON list, or one JSON object per line. */
export type FileLayout = 'comma' | 'tab' | 'list' | 'lines';

/**
 * Determines a file's layout from the requested format and the file name. Throws `usage.bad-input` if neither
 * is enough.
 */
export function layoutOf({
  file,
  format,
}: Pick<ImportRequest | ExportRequest, 'file' | 'format'>): FileLayout {
  const named = layouts.get(extname(file).toLowerCase());
  if (format === undefined && named === undefined) {
    throw new AgentError('usage.bad-input', `The format of "${file}" cannot be determined from its name.`, {
      hint: 'Set the format to csv or json, or use a file name that ends with .csv or .json.',
    });
  }
  if (named !== undefined && (format === undefined || (format === 'csv') === isCsv(named))) return named;
  return format === 'csv' ? 'comma' : 'list';
}

/** Whether the layout has rows of cells below a header. */
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
