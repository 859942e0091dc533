import { once } from 'node:events';
import type { Database } from '../../src/core/database.ts';
import type { Change, Written } from '../../src/families/table/records/change.ts';
import type { TableRow } from '../../src/families/table/table.ts';
import { openPostgresDatabase } from '../../src/stores/postgres/database.ts';
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts';
import { openRecordsOf, tableOf, type OpenedRecords } from './records-stage.ts';

/** Instructions for a process that writes to a table. */
export interface RecordsOrder {
  readonly location: { readonly sqlite: string } | { readonly postgres: string };
  readonly table: string;
  readonly name: string;
  /**
   * Transfers amounts between accounts and sometimes adds an account (`transfer`), or adds records in bulk
   * forever (`bulk`).
   */
  readonly work: 'transfer' | 'bulk';
  readonly steps: number;
}

/** The report of a process after its transfers. */
export interface RecordsReport {
  readonly moved: number;
  /** The serial numbers of the records that it added. */
  readonly serials: readonly string[];
  /** The number of times that another process changed a record first. */
  readonly stale: number;
}

/** The number of records in a bulk. */
export const bulk = 300;

/** Opens the table that the writers share. */
export async function openAccounts({
  location,
  table,
}: Pick<RecordsOrder, 'location' | 'table'>): Promise<OpenedRecords & AsyncDisposable> {
  const database: Database =
    'sqlite' in location
      ? await openSqliteDatabase(location.sqlite)
      : await openPostgresDatabase(location.postgres);
  const fields = { code: 'Type: string; Primary Key: given', amount: 'Type: integer', serial: 'Unique' };
  const opened = await openRecordsOf(database, tableOf(table, fields));
  return { ...opened, [Symbol.asyncDispose]: () => database.close() };
}

/** Returns the changes of a numbered bulk. They are the same every time. */
export function bulkOf(number: number): readonly Change[] {
  return Array.from({ length: bulk }, (_, index) => ({
    kind: 'add',
    after: { code: `${number}/${index}`, amount: number },
  }));
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  const order = JSON.parse(process.argv[2]) as RecordsOrder;
  await using opened = await openAccounts(order);
  process.send('ready');
  await once(process, 'message'); // the message makes all writers start together
  if (order.work === 'bulk') await writeBulks(order, opened);
  else process.send(await transfer(order, opened));
  process.disconnect();
}

async function writeBulks({ table }: RecordsOrder, { records }: OpenedRecords): Promise<void> {
  for (let number = 0; ; number++) {
    process.send?.(number);
    await records.write(bulkOf(number), { stepId: `${table} ${number}`, session: 's' });
  }
}

async function transfer(
  { table, name, steps }: RecordsOrder,
  { records }: OpenedRecords,
): Promise<RecordsReport> {
  const serials: string[] = [];
  let [moved, stale, writes] = [0, 0, 0];
  const write = (changes: readonly Change[]): Promise<Written> =>
    records.write(changes, { stepId: `${table} ${name} ${++writes}`, session: name });
  for (let step = 0; step < steps; step++) {
    const serial = `S${step}`;
    const added = await write([{ kind: 'add', after: { code: `${name} ${step}`, amount: 0, serial } }]);
    if (added.outcome === 'done') serials.push(serial);
    for (;;) {
      const accounts = (await records.list({ where: { field: 'amount', is: 'more', value: 0 } })).rows;
      const from = accounts[Math.floor(Math.random() * accounts.length)];
      const to = accounts.find((row) => row !== from);
      if (from === undefined || to === undefined) throw new Error('there are too few accounts');
      const { outcome } = await write([change(from, -1), change(to, 1)]);
      if (outcome === 'done') break;
      stale += 1;
    }
    moved += 1;
  }
  return { moved, serials, stale };
}

function change(before: TableRow, by: number): Change {
  return { kind: 'update', before, after: { ...before, amount: Number(before['amount']) + by } };
}
