import type { TableRow, Field } from '../table.ts';
import { guardCell } from './formula-guard.ts';
import { csvLine } from './csv-line.ts';
import { isCsv, type FileLayout } from './layout-of.ts';
import { spellCell } from './spell-cell.ts';

/** Writes the text of a file, some records at a time. */
export interface RecordWriter {
  /** What stands before all records. */
  readonly head: string;
  /** Records that follow those before. */
  rows(rows: readonly TableRow[]): string;
  /** What stands behind the last record. */
  end(): string;
}

/** A writer for one file with these fields; reading what it writes gives the same records. */
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
