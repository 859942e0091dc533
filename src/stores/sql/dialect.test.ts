import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { buildPostgresDialect } from '../postgres/store.ts';
import { sqliteDialect } from '../sqlite/store.ts';
import { compile } from './dialect.ts';

const text = 'select :b::text, :a, :b where x::text = :now';

test('values are bound in the order of their names in the text, casts are not names', () => {
  mock.method(Date, 'now', () => 7);
  const values = { a: 1, b: null };
  for (const [dialect, expected] of [
    [sqliteDialect, 'select ?::text, ?, ? where x::text = ?'],
    [buildPostgresDialect('s'), 'select $1::text, $2, $3 where x::text = $4'],
  ] as const) {
    const { sql, parameters } = compile(dialect, text).bind(values);
    assert.deepEqual([sql, parameters], [expected, [null, 1, null, 7]]);
  }
  mock.restoreAll();
});

test('a value that is missing is a defect, not null', () => {
  const statement = compile<{ a?: number }>(sqliteDialect, 'select :a');
  assert.throws(() => statement.bind({}).parameters, { code: 'internal.bug', message: /"a"/ });
});

test('a schema with any name is quoted', () => {
  assert.equal(buildPostgresDialect('a "b"').table('runs'), '"a ""b"""."runs"');
});

test('the time is that of the attempt, not that of binding', () => {
  const bound = compile(sqliteDialect, 'select :now').bind({});
  let now = 1;
  mock.method(Date, 'now', () => now++);
  assert.deepEqual([bound.parameters, bound.parameters], [[1], [2]]);
  mock.restoreAll();
});
