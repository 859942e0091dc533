import type { LocalClock } from '../../src/engines/values/calendar.ts';
import { buildTable } from '../../src/families/table/build-table.ts';
import type { FieldType, TableField } from '../../src/families/table/descriptor/definition.ts';
import type { ImportRequest } from '../../src/families/table/request/request.ts';
import type { Table } from '../../src/families/table/table.ts';
import { readImport, type ReadImport } from '../../src/families/table/transfer/import-records.ts';
import type { Output } from '../../src/core/run.ts';
import { createTestScope, type TestScopeOptions } from '../../src/testing/test-scope.ts';
import { tree } from './tree.ts';

export const clock: LocalClock = { now: Date.UTC(2026, 10, 16, 12), zone: 'UTC' };

/** Returns a table with these fields. The first field is the key. */
export function tableOf(fields: Readonly<Record<string, Partial<TableField>>>): Table {
  const named = Object.entries(fields).map(([name, more], index): TableField => ({
    name,
    line: 1,
    description: '',
    type: 'string',
    ...(index === 0 ? { primaryKey: { kind: 'given' } } : {}),
    ...more,
  }));
  const nothing = { relationships: [], businessRules: [] };
  return buildTable({ table: 'Parts', purpose: 'Parts.', fields: named, ...nothing });
}

export const fieldTypes = [
  ...(['string', 'text', 'integer', 'bigint', 'decimal', 'boolean', 'date', 'datetime'] as const),
  ...(['time', 'json', 'array', 'email', 'url', 'uuid'] as const),
] satisfies readonly FieldType[];

/** Returns a table with a key, followed by one field of each type, named after the type. */
export function tableOfAllTypes(): Table {
  const types = fieldTypes.map((type) => [type, { type }] as const);
  return tableOf({ key: { type: 'integer' }, ...Object.fromEntries(types) });
}

export const mayAll = (): Output => ({ status: 'done', text: 'Allowed.' });

/** Imports a file with this content. Every call is allowed. */
export async function importText(
  table: Table,
  content: string | Uint8Array,
  request: Partial<ImportRequest> = {},
  options: TestScopeOptions = {},
): Promise<ReadImport> {
  const { file = 'parts.csv' } = request;
  using files = tree({ [file]: content });
  const scope = createTestScope({ workspace: files.path, call: mayAll, ...options });
  return await readImport({ operation: 'import', file, ...request }, table, scope, clock);
}
