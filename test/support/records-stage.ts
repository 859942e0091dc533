import { bundleOfText, nowhere } from '../../src/core/descriptor/bundle.ts';
import type { Database } from '../../src/core/database.ts';
import { buildTable } from '../../src/families/table/build-table.ts';
import { parse } from '../../src/families/table/descriptor/parse.ts';
import type { Change, Written } from '../../src/families/table/records/change.ts';
import { createRecords, type Records } from '../../src/families/table/records/records.ts';
import { openSchema } from '../../src/families/table/schema/open-schema.ts';
import type { Table, TableRow } from '../../src/families/table/table.ts';

/** A table in a database, with its records. */
export interface OpenedRecords {
  readonly table: Table;
  readonly records: Records;
  /** Writes the changes as one step. The default session is `s`. */
  write(changes: readonly Change[], session?: string): Promise<Written>;
  add(...rows: readonly TableRow[]): Promise<Written>;
  /** Returns all records, sorted by key. */
  rows(): Promise<readonly TableRow[]>;
}

/**
 * Builds a table from fields and their attributes, such as `Type: integer; Unique`. `more` adds sections to
 * the descriptor.
 */
export function tableOf(name: string, fields: Readonly<Record<string, string>>, more = ''): Table {
  const parts = Object.entries(fields).map(([field, attributes]) => {
    const lines = attributes.split('; ').filter((line) => line !== '');
    return `### ${field}\nA field.\n${lines.map((line) => `#### ${line}\n`).join('')}`;
  });
  const text = `# ${name} Skill\n\n## Table Purpose\nThings.\n\n## Fields\n${parts.join('\n')}\n${more}`;
  const { definition, issues } = parse(bundleOfText(text, { ...nowhere, stem: 'folder' }));
  const wrong = issues.filter(({ level, code }) => level !== 'info' && code !== 'table.no-key');
  if (definition === undefined || wrong.length > 0) throw new Error(JSON.stringify(wrong));
  return buildTable(definition);
}

let steps = 0;

/** Opens the records of a table. Creates the table if it does not exist. */
export async function openRecordsOf(database: Database, table: Table): Promise<OpenedRecords> {
  const { physical, blocked } = await openSchema(database, table);
  if (blocked.length > 0) throw new Error(blocked.map(({ text }) => text).join(' '));
  const records = createRecords(database, table, physical);
  const write: OpenedRecords['write'] = (changes, session = 's') =>
    records.write(changes, { stepId: `step-${process.pid}-${++steps}`, session });
  return {
    table,
    records,
    write,
    add: (...rows) => write(rows.map((after) => ({ kind: 'add', after }))),
    rows: async () => (await records.list({})).rows,
  };
}
