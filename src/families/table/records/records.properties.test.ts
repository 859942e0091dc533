import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLoops } from '../../../../test/stress/stress.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import {
  conditions,
  groupings,
  measures,
  rowsOf,
  sorts,
  valuesOf,
} from '../../../../test/support/random-records.ts';
import { createRecordsModel, type RecordsModel } from '../../../../test/support/records-model.ts';
import { openRecordsOf, tableOf, type OpenedRecords } from '../../../../test/support/records-stage.ts';
import type { Database } from '../../../core/database.ts';
import type { Json } from '../../../core/json.ts';
import { openPostgresDatabase } from '../../../stores/postgres/database.ts';
import { openSqliteDatabase } from '../../../stores/sqlite/database.ts';
import type { Table, TableRow } from '../table.ts';
import type { Change } from './change.ts';
import fc from 'fast-check';

const { createLoop } = openLoops(import.meta);

const server = await startPostgres();
const databases: readonly (readonly [string, Database | undefined])[] = [
  ['SQLite', await openSqliteDatabase(':memory:')],
  ['PostgreSQL', server && (await openPostgresDatabase(server.url))],
];
after(async () => {
  for (const [, database] of databases) await database?.close();
  await server?.[Symbol.asyncDispose]();
});

const attributes = {
  name: '',
  note: 'Type: text',
  mail: 'Type: email',
  serial: 'Unique',
  amount: 'Type: integer',
  great: 'Type: bigint',
  price: 'Type: decimal',
  active: 'Type: boolean',
  day: 'Type: date',
  moment: 'Type: datetime',
  hour: 'Type: time',
  extra: 'Type: json',
  tags: 'Type: array',
  other: 'Type: uuid',
};
const keys: readonly Readonly<Record<string, string>>[] = [
  {},
  { code: 'Type: string; Primary Key: given' },
  { number: 'Type: integer; Primary Key: given' },
  { left: 'Type: string; Primary Key: given', right: 'Type: integer; Primary Key: given' },
];

interface Step {
  readonly kind: 'add' | 'update' | 'delete' | 'undo' | 'stale' | 'read';
  readonly seed: number;
}

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'add', 'update', 'update', 'delete', 'undo', 'stale', 'read', 'read', 'read'),
  seed: fc.integer({ min: 0 }),
});
const shapes = fc.record({
  key: fc.constantFrom(...keys),
  fields: fc.subarray(Object.keys(attributes) as (keyof typeof attributes)[], { minLength: 2 }),
  steps: fc.array(steps, { minLength: 6, maxLength: 16 }),
});

let tables = 0;

for (const [name, database] of databases) {
  const skip = database === undefined && `${name} is not installed`;
  const loop = createLoop({ small: 15, full: 500 });
  test(`${name} answers as the meaning of requests says`, { skip }, async () => {
    assert.ok(database !== undefined);
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const own = Object.fromEntries(shape.fields.map((field) => [field, attributes[field]]));
        const table = tableOf(`Random ${++tables}`, { ...shape.key, ...own });
        const opened = await openRecordsOf(database, table);
        const model = createRecordsModel(table);
        for (const step of shape.steps) await take(step, opened, model);
        assert.deepEqual(await opened.rows(), model.rows());
      }),
      loop.runs(),
    );
  });

  test(
    `${name} gives all records in parts and in order, also while others delete some`,
    { skip },
    async () => {
      assert.ok(database !== undefined);
      const { add, records, write, rows } = await openRecordsOf(
        database,
        tableOf(`Parts of ${name}`, { rank: 'Type: integer' }),
      );
      await add(...Array.from({ length: 25 }, (_, index) => ({ rank: 25 - index })));
      const ranks: Json[] = [];
      for await (const part of records.each({ sort: [{ field: 'rank', direction: 'up' }] }, 10)) {
        if (ranks.length === 0) {
          const gone = (await rows()).filter(({ rank }) => rank === 11 || rank === 25);
          await write(gone.map((before) => ({ kind: 'delete', before })));
        }
        ranks.push(...part.map(({ rank }) => rank ?? null));
      }
      assert.deepEqual(
        ranks,
        Array.from({ length: 24 }, (_, index) => index + 1).filter((rank) => rank !== 11),
      );
    },
  );
}

/** Draws one value. The same seed gives the same value. */
function draw<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  return fc.sample(arbitrary, { numRuns: 1, seed })[0] as Value;
}

async function take({ kind, seed }: Step, opened: OpenedRecords, model: RecordsModel): Promise<void> {
  if (kind === 'read') return compare(opened, model, seed);
  if (kind === 'undo') {
    const last = await opened.records.lastWrite('s');
    assert.equal(last !== undefined, model.canUndo());
    if (last === undefined) return;
    const { outcome } = await opened.records.undo(last, { stepId: `undo-${++tables}`, session: 's' });
    assert.equal(outcome, model.undo());
    return;
  }
  const changes = draw(changesOf(kind, opened.table, model.rows()), seed);
  if (changes.length === 0) return;
  const written = await opened.write(changes);
  const rows = written.outcome === 'done' ? await opened.rows() : [];
  assert.equal(written.outcome, model.write(changes, rows), JSON.stringify([changes, written]));
  if (written.outcome === 'done') assert.deepEqual(rows, model.rows());
}

/** Changes of one kind. The ones in `stale` are based on records that have changed since. */
function changesOf(
  kind: 'add' | 'update' | 'delete' | 'stale',
  table: Table,
  rows: readonly TableRow[],
): fc.Arbitrary<readonly Change[]> {
  if (kind === 'add')
    return rowsOf(table).map((added) => added.map((row): Change => ({ kind: 'add', after: row })));
  const some = fc.subarray([...rows]).map((chosen) => chosen.slice(0, 3));
  if (kind === 'delete')
    return some.map((before) => before.map((row): Change => ({ kind: 'delete', before: row })));
  const free = table.fields.filter((field) => field.key === undefined);
  const set = fc.record(Object.fromEntries(free.map((field) => [field.name, valuesOf(field)])), {
    requiredKeys: [],
  });
  return fc.tuple(some, set).map(([chosen, values]) =>
    chosen.map((row): Change => {
      const before = kind === 'stale' ? { ...row, [free[0]?.name ?? '']: 'nobody saw this' } : row;
      return { kind: 'update', before, after: { ...row, ...(values as TableRow) } };
    }),
  );
}

async function compare({ table, records }: OpenedRecords, model: RecordsModel, seed: number): Promise<void> {
  const where = draw(fc.option(conditions(table), { nil: undefined }), seed);
  const window = {
    ...(where === undefined ? {} : { where }),
    sort: draw(sorts(table), seed),
    limit: draw(fc.integer({ min: 1, max: 5 }), seed),
    offset: draw(fc.integer({ min: 0, max: 3 }), seed),
  };
  assert.deepEqual(await records.list(window), model.list(window), JSON.stringify(window));
  assert.equal(await records.count(where), model.list({ ...window, limit: 9_999, offset: 0 }).total);
  const parts: TableRow[] = [];
  for await (const part of records.each({ ...window, limit: 5 }, 2)) parts.push(...part);
  assert.deepEqual(parts, model.list({ ...window, limit: 5 }).rows);
  const group = draw(groupings(table), seed);
  const asked = { ...group, ...(where === undefined ? {} : { where }) };
  assert.deepEqual(await records.group(asked), model.group(asked), JSON.stringify(asked));
  const measure = draw(measures(table), seed);
  if (measure === undefined) return;
  const request = { ...measure, ...(where === undefined ? {} : { where }) };
  assert.deepEqual(await records.measure(request), model.measure(request), JSON.stringify(request));
}
