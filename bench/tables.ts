import { join } from 'node:path';
import type { Database, SqlStatement, SqlValue } from '../src/core/database.ts';
import { planAdds } from '../src/families/table/rules/plan-changes.ts';
import { noProse } from '../src/families/table/rules/drafts.ts';
import { openPostgresDatabase } from '../src/stores/postgres/database.ts';
import { openSqliteDatabase } from '../src/stores/sqlite/database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { openRecordsOf, tableOf, type OpenedRecords } from '../test/support/records-stage.ts';
import { alternate, type Row, type Timing } from './measure.ts';

const records = 100_000;
const rounds = 30;

const table = tableOf('Stock', {
  code: 'Type: string; Primary Key: given; Pattern: ^[A-Z]-\\d+$',
  name: 'Required; Max Length: 80',
  status: 'Values: [ok, faulty, in repair]; Index',
  price: 'Type: decimal; Min: 0',
  bought: 'Type: date',
  serial: 'Unique',
  amount: 'Type: integer',
});

/**
 * T1: compares requests to a table of 100,000 records with handwritten SQL through the same driver. T2:
 * measures the time for filling the table.
 */
export async function tables(folder: string): Promise<readonly Row[]> {
  await using server = await startPostgres();
  const databases = [
    ['SQLite', await openSqliteDatabase(join(folder, 'tables.db'))],
    ...(server === undefined ? [] : [['PostgreSQL', await openPostgresDatabase(server.url)] as const]),
  ] as const;
  const rows: Row[] = [];
  for (const [kind, database] of databases) {
    rows.push(...(await measureOn(kind, database)));
    await database.close();
  }
  return rows;
}

async function measureOn(kind: string, database: Database): Promise<readonly Row[]> {
  const opened = await openRecordsOf(database, table);
  const given = Array.from({ length: records }, (_, index) => ({
    code: `A-${index}`,
    name: `Item ${index % 977}`,
    status: ['ok', 'faulty', 'in repair'][index % 3] ?? 'ok',
    price: (index % 5_000) / 100,
    bought: `20${10 + (index % 17)}-0${1 + (index % 9)}-15`,
    serial: `S${index}`,
    amount: index % 100,
  }));
  const clock = { now: Date.now(), zone: 'UTC' };
  const start = performance.now();
  const { changes, faults } = await planAdds(
    { table, prose: noProse, clock, makeId: () => crypto.randomUUID() },
    given,
  );
  const planned = performance.now();
  if (faults.length > 0) throw new Error(JSON.stringify(faults[0]));
  const written = await opened.write(changes);
  const end = performance.now();
  if (written.outcome !== 'done') throw new Error(JSON.stringify(written).slice(0, 1_000));
  const took = (end - start) / 1000;
  return [
    {
      id: 'T2',
      what: `${kind}: ${records} new records checked and written, undo included`,
      figure: `${took.toFixed(1)} s (checking ${((planned - start) / 1000).toFixed(1)} s)`,
      target: '≤ 10 s',
      met: took <= 10,
    },
    ...(await measureRequests(kind, database, opened)),
  ];
}

async function measureRequests(
  kind: string,
  database: Database,
  { records: own, write }: OpenedRecords,
): Promise<readonly Row[]> {
  const mark = (sql: string): string => {
    let number = 0;
    return database.kind === 'sqlite' ? sql : sql.replace(/\?/g, () => `$${++number}`);
  };
  const read = (sql: string, ...parameters: SqlValue[]): Promise<unknown> =>
    database.read(statement(mark(sql), parameters));
  const folded = database.kind === 'sqlite' ? 'status collate nocase' : 'lower(status collate "C")';
  let turn = 0;
  const code = (): string => `A-${(turn++ * 7919) % records}`;
  const cases: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
    'the first page': [
      () => own.list({ limit: 20 }),
      async () => {
        await read('select * from stock order by code limit 20');
        await read('select count(*) as n from stock');
      },
    ],
    'a filtered page': [
      () =>
        own.list({
          where: {
            all: [
              { field: 'status', is: 'equals', value: 'faulty' },
              { field: 'price', is: 'more', value: 49 },
            ],
          },
          sort: [{ field: 'price', direction: 'down' }],
          limit: 20,
        }),
      async () => {
        await read(
          `select * from stock where ${folded} = ? and price > ? order by price desc nulls last, code limit 20`,
          'faulty',
          49,
        );
        await read(`select count(*) as n from stock where ${folded} = ? and price > ?`, 'faulty', 49);
      },
    ],
    'a count': [
      () => own.count({ field: 'amount', is: 'at-least', value: 50 }),
      () => read('select count(*) as n from stock where amount >= ?', 50),
    ],
    'a sum for each value': [
      () => own.group({ operation: 'group', by: 'status', measure: 'sum', field: 'amount' }),
      () =>
        read(`select min(status) as status, sum(amount) as n from stock group by ${folded} order by n desc`),
    ],
    'one record by its key': [
      () => own.list({ where: { field: 'code', is: 'equals', value: code() } }),
      () => read('select * from stock where code = ?', code()),
    ],
    'one record changed': [
      async () => {
        const { rows } = await own.list({ where: { field: 'code', is: 'equals', value: code() } });
        await write(rows.map((before) => ({ kind: 'update', before, after: { ...before, amount: turn } })));
      },
      () =>
        database.write(async (run) => {
          const key = code();
          await run(statement(mark('select * from stock where code = ?'), [key]));
          await run(statement(mark('update stock set amount = ? where code = ?'), [turn, key]));
        }),
    ],
  };
  const rows: Row[] = [];
  for (const [what, [ours, byHand]] of Object.entries(cases)) {
    const calls = many[what] ?? 1;
    const { ours: own, byHand: base } = await alternate(rounds, {
      ours: () => repeat(calls, ours),
      byHand: () => repeat(calls, byHand),
    });
    rows.push(
      ratio(
        `${kind}: ${what} of ${records}${calls > 1 ? `, ${calls} times` : ''}`,
        own,
        base,
        what === 'one record changed' ? undefined : 1.5,
      ),
    );
  }
  return rows;
}

/** The number of repetitions per measurement, for requests that are too short to be timed individually. */
const many: Readonly<Record<string, number>> = { 'the first page': 10, 'one record by its key': 200 };

async function repeat(calls: number, work: () => Promise<unknown>): Promise<void> {
  for (let call = 0; call < calls; call++) await work();
}

function statement(sql: string, parameters: readonly SqlValue[]): SqlStatement {
  return { sql, parameters };
}

function ratio(what: string, ours: Timing, base: Timing, target: number | undefined): Row {
  const [median, min] = [ours.median / base.median, ours.min / base.min];
  return {
    id: 'T1',
    what,
    figure: `${median.toFixed(2)} × (min ${min.toFixed(2)} ×; ${ours.median.toFixed(2)} ms against ${base.median.toFixed(2)} ms)`,
    ...(target === undefined ? {} : { target: `≤ ${target} ×`, met: Math.min(median, min) <= target }),
  };
}
