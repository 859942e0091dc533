import { fromDatabase, toDatabase } from '../../src/engines/sql/stored-values.ts';
import type { Json } from '../../src/core/json.ts';
import type { Physical } from '../../src/families/table/schema/open-schema.ts';
import type { Table } from '../../src/families/table/table.ts';
import type { NewDatabase } from './new-databases.ts';

/** Writes one record without checking any rule. */
export async function writeRow(
  { run }: NewDatabase,
  table: Table,
  physical: Physical,
  row: Readonly<Record<string, Json>>,
): Promise<void> {
  const fields = table.fields.filter(({ name }) => Object.hasOwn(row, name));
  const columns = fields.map(({ name }) => quoted(physical.columnOf(name)));
  const values = fields.map(({ name }) => toDatabase(physical.storageOf(name), row[name] ?? null));
  const marks = values.map(() => '?').join(', ');
  await run(`insert into ${quoted(physical.table)} (${columns.join(', ')}) values (${marks})`, ...values);
}

/** Returns all records, sorted by the first column. */
export async function readRows(
  { run }: NewDatabase,
  table: Table,
  physical: Physical,
): Promise<readonly Readonly<Record<string, Json>>[]> {
  const found = await run(`select * from ${quoted(physical.table)} order by 1`);
  return found.map((row) =>
    Object.fromEntries(
      table.fields.map((field) => {
        const raw = row[physical.columnOf(field.name)] ?? null;
        return [field.name, fromDatabase(physical.storageOf(field.name), field, raw)];
      }),
    ),
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
