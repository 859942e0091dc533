import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../../test/support/new-databases.ts';
import { openTogether } from '../../../../test/support/schema-processes.ts';
import { readRows, writeRow } from '../../../../test/support/schema-rows.ts';
import { builtTable } from '../../../../test/support/written-table.ts';
import type { Json } from '../../../core/json.ts';
import { createRecords } from '../records/records.ts';
import type { TableRow } from '../table.ts';
import { applyProposal } from './build-schema.ts';
import { openSchema, type OpenedSchema } from './open-schema.ts';
import { findReferenced, readReferrers } from './table-record.ts';
import fc from 'fast-check';

const key = { id: 'Type: integer; Primary Key' };
const quiet = { blocked: [], proposed: [] };
const summaryOf = ({ blocked, proposed }: OpenedSchema): object => ({ blocked, proposed });

await onBothDatabases((open, kind) => {
  test('a table that is not there is made with all its columns, and found again by everybody', async () => {
    await using db = await open();
    const fields = {
      name: 'Type: varchar(20); Unique',
      price: 'Type: decimal',
      seen: 'Type: datetime; Index',
      kind: 'Index',
    };
    const table = builtTable({ ...key, ...fields });
    const first = await openSchema(db.database, table);
    assert.deepEqual(summaryOf(first), quiet);
    assert.equal(first.physical.table, 'items');
    const row = { name: 'Saw', price: 0.1, seen: '2026-11-16T10:00:00.250Z' };
    await writeRow(db, table, first.physical, row);
    assert.deepEqual(await readRows(db, table, first.physical), [{ id: 1, ...row, kind: null }]);
    assert.equal(await openSchema(db.database, table), first, 'what was opened costs one look');
    await assert.rejects(writeRow(db, table, first.physical, { name: 'Saw' }), {
      code: 'usage.bad-input',
    });
  });

  test('tables and columns may have any name, and there may be hundreds of them', async () => {
    await using db = await open();
    const names = [
      ...['select', 'a"b', "a'; drop table items; --", 'Größe', '名前', 'x'.repeat(200), 'xmin', 'rowid'],
      ...['a.b', 'a_b', 'A b c', '!!!', 'é'.repeat(60), 'ID2', 'Column', 'order'],
    ];
    const all = [...names, ...Array.from({ length: 184 }, (_, index) => `field ${index}`)];
    const fields = Object.fromEntries(all.map((name) => [name, '']));
    const named = '\n## Database Table\n\n"or\\"der; 名"\n';
    const table = builtTable(fields, named);
    assert.equal(table.fields.length, 201);
    const { physical, ...more } = await openSchema(db.database, table);
    assert.deepEqual(more, quiet);
    assert.equal(physical.table, 'or"der; 名');
    const row = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
    await writeRow(db, table, physical, row);
    const [found = {}] = await readRows(db, table, physical);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, found[name]])), row);
    assert.equal(new Set(table.fields.map(({ name }) => physical.columnOf(name).toLowerCase())).size, 201);
    const again = builtTable({ ...fields, one: 'Index' }, named);
    assert.deepEqual(summaryOf(await openSchema(db.database, again)), quiet);
  });

  test('a table in another spelling is the same one, and one that is there under the very name goes first', async () => {
    await using db = await open();
    await db.run('create table "My_Items" ("Item Id" integer primary key, "NAME" varchar(9))');
    const table = builtTable(
      { 'item-id': 'Type: integer; Primary Key: given', name: 'Type: varchar(9)' },
      '',
    );
    const spelt = { ...table, name: 'my items', sqlName: 'my_items' };
    const { physical, ...more } = await openSchema(db.database, spelt);
    assert.deepEqual(more, quiet);
    const found = [physical.table, physical.columnOf('item-id'), physical.columnOf('name')];
    assert.deepEqual(found, ['My_Items', 'Item Id', 'NAME']);
    if (kind === 'sqlite') return; // there, names that differ only in case are equal
    await db.run('create table "items" (id bigint primary key)');
    await db.run('create table "Items" (id bigint primary key)');
    const exact = await openSchema(db.database, {
      ...builtTable({ id: 'Type: integer; Primary Key: given' }),
      name: 'Items',
    });
    assert.equal(exact.physical.table, 'Items');
  });

  test('values of every type come back unchanged, and plain SQL sees them as what they are', async () => {
    await using db = await open();
    const types = [
      'string',
      'text',
      'integer',
      'bigint',
      'decimal',
      'boolean',
      'date',
      'datetime',
      'time',
      'json',
      'array',
      'email',
      'url',
      'uuid',
    ];
    const table = builtTable({
      ...key,
      ...Object.fromEntries(types.map((type) => [`a ${type}`, `Type: ${type}`])),
    });
    const { physical } = await openSchema(db.database, table);
    const text = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((some) => !some.includes('\0') && some.isWellFormed());
    const json = fc
      .jsonValue({ stringUnit: 'grapheme' })
      .map((some) => JSON.parse(JSON.stringify(some)) as Json);
    const clean = (value: Json): boolean =>
      value !== null && value !== '' && !JSON.stringify(value).includes('\\u0000');
    const day = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const values = fc.record(
      {
        'a string': text,
        'a text': text,
        'a email': text,
        'a url': text,
        'a uuid': fc.uuid(),
        'a boolean': fc.boolean(),
        'a integer': fc.maxSafeInteger(),
        'a bigint': whole.map((some) =>
          Number.isSafeInteger(Number(some)) ? Number(some) : some.toString(),
        ),
        'a decimal': fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((some) => (some === 0 ? 0 : some)),
        'a date': day.map((some) => some.toISOString().slice(0, 10)),
        'a datetime': day.map((some) => some.toISOString()),
        'a time': day.map((some) => some.toISOString().slice(11, 19)),
        'a json': json.filter(clean),
        'a array': fc.array(json, { maxLength: 4 }).filter(clean),
      },
      { noNullPrototype: true },
    );
    const rows = fc.sample(values, { numRuns: 60, seed: 11 });
    for (const row of rows) await writeRow(db, table, physical, row);
    await writeRow(db, table, physical, Object.fromEntries(types.map((type) => [`a ${type}`, null])));
    const found = (await readRows(db, table, physical)).map(({ id: _id, ...row }) => row);
    assert.deepEqual(found, [...rows, Object.fromEntries(types.map((type) => [`a ${type}`, null]))]);
    const [sum] = await db.run(
      'select count(*) as many from items where a_decimal > -1e308 or a_decimal <= -1e308',
    );
    assert.equal(Number(sum?.['many']), rows.length);
  });

  test('keys count up from the first number that the file gives', async () => {
    await using db = await open();
    const numbered = builtTable({ id: 'Primary Key: Auto-increment, starting from 100', name: '' });
    const { physical } = await openSchema(db.database, numbered);
    const ids = async (): Promise<readonly unknown[]> =>
      (await readRows(db, numbered, physical)).map(({ id }) => id);
    for (const name of ['a', 'b']) await writeRow(db, numbered, physical, { name });
    assert.deepEqual(await ids(), [100, 101]);
    assert.deepEqual(summaryOf(await openSchema(db.database, numbered)), quiet);
    const records = createRecords(db.database, numbered, physical);
    const add = async (stepId: string, row: TableRow): Promise<void> => {
      const author = { stepId, session: 's' };
      assert.equal((await records.write([{ kind: 'add', after: row }], author)).outcome, 'done');
    };
    await add('low', { id: 7, name: 'c' });
    await add('high', { id: 200, name: 'd' });
    await add('next', { name: 'e' });
    assert.deepEqual(await ids(), [7, 100, 101, 200, 201]);
  });

  test('a key below the first number does not lower it', async () => {
    await using db = await open();
    const numbered = builtTable({ id: 'Primary Key: Auto-increment, starting from 100', name: '' });
    const { physical } = await openSchema(db.database, numbered);
    const records = createRecords(db.database, numbered, physical);
    for (const row of [{ id: 7, name: 'low' }, { name: 'next' }])
      await records.write([{ kind: 'add', after: row }], { stepId: row.name, session: 's' });
    assert.deepEqual(
      (await readRows(db, numbered, physical)).map(({ id }) => id),
      [7, 100],
    );
  });

  test('a new key counts up from its first number, also after its records were deleted', async () => {
    await using db = await open();
    const before = builtTable({ name: 'Primary Key: given', note: '' });
    const opened = await openSchema(db.database, before);
    for (const name of ['a', 'b']) await writeRow(db, before, opened.physical, { name });
    const fields = { id: 'Primary Key: auto-increment, starting from 50', name: '' };
    const after = builtTable({ ...fields, note: '' });
    const [change] = (await openSchema(db.database, after)).blocked;
    assert.equal(await applyProposal(db.database, after, change ?? assert.fail()), 'applied');
    const { physical } = await openSchema(db.database, after);
    assert.deepEqual(
      (await readRows(db, after, physical)).map(({ id }) => id),
      [50, 51],
    );
    await db.run('delete from items');
    const typed = builtTable({ ...fields, note: 'Type: integer' });
    const [type] = (await openSchema(db.database, typed)).blocked;
    assert.equal(await applyProposal(db.database, typed, type ?? assert.fail()), 'applied');
    await writeRow(db, typed, (await openSchema(db.database, typed)).physical, { name: 'c' });
    assert.deepEqual(
      (await db.run('select id from items')).map(({ id }) => Number(id)),
      [52],
    );
  });

  test('who refers to whom is known to every table of the database', async () => {
    await using db = await open();
    const target = builtTable({ code: 'Primary Key: given' }, '\n## Database Table\n\nplaces\n');
    await openSchema(db.database, target);
    const link = '\n## Relationships\n\n- place -> places.code\n\n## Database Table\n\nthings\n';
    await openSchema(db.database, builtTable({ ...key, place: '' }, link));
    const look = { kind, run: db.database.read.bind(db.database) };
    const [referrer, ...others] = await readReferrers(look, { table: 'places', name: 'Places' });
    const { table, from, field } = referrer ?? {};
    assert.deepEqual([others.length, table, from?.column, field], [0, 'things', 'place', 'code']);
    assert.equal((await findReferenced(look, { table: 'Places' }))?.column, 'code');
    assert.equal((await findReferenced(look, { table: 'places', field: 'code' }))?.table, 'places');
    assert.equal(await findReferenced(look, { table: 'places', field: 'other' }), undefined);
    assert.equal(await findReferenced(look, { table: 'nowhere' }), undefined);
  });

  test('processes that open a table at once make it once', async () => {
    await using db = await open();
    const fields = { ...key, name: 'Unique', area: 'Index; Default: A' };
    const twice = (shape: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
      openTogether([shape, shape].map((each) => ({ location: db.location, fields: each })));
    assert.deepEqual(await twice(fields), [0, 0]);
    const more = { ...fields, price: 'Type: decimal; Default: 5', old: 'Unique' };
    assert.deepEqual(await twice(more), [0, 0]);
    const { physical, ...rest } = await openSchema(db.database, builtTable(more));
    assert.deepEqual(rest, quiet);
    await writeRow(db, builtTable(more), physical, { name: 'Saw', price: 1, old: 'x', area: 'B' });
  });
});
