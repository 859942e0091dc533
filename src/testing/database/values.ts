import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, SqlValue } from '../../core/index.ts';
import { ask, change, opened, type OpenDatabase } from './test-database.ts';

const most = 2n ** 63n - 1n;
const hostile = `'"\`;--/*\\ $1 ?1 :a @b %_ \n\t\r`;

const valuesByType: Readonly<Record<string, readonly SqlValue[]>> = {
  bigint: [
    ...[0, 1, -1, 2 ** 31, -(2 ** 31), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    ...[2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, most, -most - 1n, null],
  ],
  'double precision': [0.1, -2.5, 1e300, 5e-324, 123456789.123456, null],
  text: ['', 'a', 'Zoë', 'e\u0301', '漢字', '👩‍🚀', '\u202e', '5', '5.0', 'null', hostile, null],
  bytes: [new Uint8Array(), new Uint8Array([0, 1, 127, 128, 255]), null],
};

/** Registers tests that check that values are stored unchanged and are never interpreted as SQL. */
export function checkSqlValues(open: OpenDatabase): void {
  for (const [type, values] of Object.entries(valuesByType))
    test(
      `values of type ${type} come back unchanged`,
      opened(open, async (database) => {
        await change(database, `create table kept (place integer, value ${typeIn(database, type)})`);
        for (const [index, value] of values.entries())
          await change(database, 'insert into kept values (?, ?)', index, value);
        const rows = await ask(database, 'select value from kept order by place');
        assert.deepEqual(
          rows,
          values.map((value) => ({ value })),
        );
        for (const [index, value] of values.entries()) {
          if (value === null) continue;
          const found = await ask(database, 'select place from kept where value = ?', value);
          assert.deepEqual(found, [{ place: index }], `value ${index} is not found by itself`);
        }
      }),
    );

  test(
    'booleans come back as such, or as 1 and 0',
    opened(open, async (database) => {
      await change(database, 'create table kept (value boolean)');
      for (const value of [true, false]) await change(database, 'insert into kept values (?)', value);
      const rows = await ask(database, 'select value from kept where value = ?', true);
      assert.deepEqual(rows, [{ value: database.kind === 'sqlite' ? 1 : true }]);
    }),
  );

  test(
    'a text of ten million characters comes back unchanged',
    opened(open, async (database) => {
      const text = 'ünï🚀 '.repeat(1_700_000);
      await change(database, 'create table kept (value text)');
      await change(database, 'insert into kept values (?)', text);
      const [row] = await ask(database, 'select value from kept');
      assert.ok(row?.['value'] === text, 'the text differs');
    }),
  );

  test(
    'columns with unusual names come back',
    opened(open, async (database) => {
      for (const name of ['__proto__', 'constructor', 'ä b', "it's"]) {
        const [row] = await ask(database, `select 1 as "${name}"`);
        assert.deepEqual(Object.entries(row ?? {}), [[name, 1]]);
      }
    }),
  );

  test(
    'many rows come back in order, without blocking the event loop',
    opened(open, async (database) => {
      const count = 50_000;
      let turns = 0;
      const timer = setInterval(() => (turns += 1), 1);
      const rows = await ask(
        database,
        'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 50000) select n from numbers order by n',
      );
      clearInterval(timer);
      assert.equal(rows.length, count);
      assert.ok(rows.every(({ n }, index) => n === index + 1));
      assert.ok(turns > 0, 'the event loop was blocked');
    }),
  );
}

function typeIn({ kind }: Database, type: string): string {
  if (type !== 'bytes') return type;
  return kind === 'sqlite' ? 'blob' : 'bytea';
}
