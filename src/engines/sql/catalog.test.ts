import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Json } from '../../core/json.ts';
import { onBothDatabases } from '../../../test/support/new-databases.ts';
import { findTable, listTables, readLinks } from './catalog.ts';
import { existingStorage, newStorage } from './column-types.ts';
import type { SqlExecutor } from './existing-table.ts';
import { matchName, sqlName } from './names.ts';
import { dialectOf, readTotal, runPiece, tablePiece } from './pieces.ts';
import { fromDatabase, toDatabase } from './stored-values.ts';
import { orderOf, whereOf } from './where.ts';

await onBothDatabases((open, kind) => {
  test('a table is found in any spelling, with its key, indexes and links', async () => {
    await using one = await open();
    const { database } = one;
    const executor: SqlExecutor = { kind, run: (statement) => database.read(statement) };
    await one.run('create table areas (code varchar(8) primary key)');
    await one.run(
      'create table work_orders (number integer primary key, area varchar(8) references areas (code))',
    );
    await one.run('create unique index one_area on work_orders (area)');
    assert.deepEqual(
      (await listTables(executor)).map(({ table }) => table),
      ['areas', 'work_orders'],
    );
    const found = await findTable(executor, 'Work Orders');
    assert.deepEqual(found?.key, ['number']);
    assert.ok(found.indexes.some(({ columns, isUnique }) => isUnique && columns[0] === 'area'));
    const [link] = await readLinks(executor, found);
    assert.deepEqual([link?.direction, link?.column, link?.otherTable], ['out', 'area', 'areas']);
    assert.equal(await readTotal(executor, sql`select count(*) as total from ${tablePiece(found)}`), 0);
  });

  test('typed values are stored and read back', async () => {
    await using one = await open();
    const run: SqlExecutor['run'] = (statement) => one.database.read(statement);
    const column = { name: 'd', type: kind === 'sqlite' ? 'TEXT' : 'date', isRequired: false };
    const storage = existingStorage(kind, 'date', { ...column, isNumbered: false, isGenerated: false });
    assert.equal(storage?.form, 'date');
    const cases = [
      ['bigint', '9007199254740993'],
      ['boolean', true],
      ['json', { a: [1] }],
      ['decimal', 0.5],
    ] as const;
    for (const [type, value] of cases) {
      const stored = newStorage(kind, type);
      const typed = sql`cast(${toDatabase(stored, value)} as ${sql.raw(stored.sqlType)})`;
      const [row] = await runPiece({ kind, run }, sql`select ${typed} as value`);
      assert.deepEqual(fromDatabase(stored, { type }, row?.['value'] ?? null), value, type);
    }
  });
});

test('a name is one that databases accept, and is matched in any spelling', () => {
  assert.equal(sqlName('Work Orders (new)'), 'work_orders_new');
  assert.ok(Buffer.byteLength(sqlName('x'.repeat(200))) <= 63);
  assert.equal(
    matchName(['a_b', 'A-B'], 'A-B', (name) => name),
    'A-B',
  );
});

test('a condition becomes SQL in which a record matches it or its negation', () => {
  const dialect = dialectOf('sqlite');
  const name = sql.id('price');
  const price = {
    field: { name: 'price' },
    equal: name,
    ordered: name,
    searched: name,
    isFolded: false,
    isEmpty: sql`${name} is null`,
    toSql: (value: Json) => value,
  };
  const columns = { dialect, key: [price], keyOrder: sql` order by price`, columnOf: () => price };
  const cheap = { field: 'price', is: 'less', value: 5 } as const;
  assert.deepEqual(dialect.compile(whereOf(columns, { not: cheap })), {
    sql: ' where ("price" is null or not ("price" < ?))',
    parameters: [5],
  });
  assert.equal(dialect.compile(orderOf(columns)).sql, ' order by price');
});
