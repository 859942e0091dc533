import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { buildPostgresDialect } from '../postgres/store.ts';
import { buildSqliteDialect } from '../sqlite/store.ts';
import { compile } from './dialect.ts';

const text = 'select :b::text, :a, :b where x::text = :now';

test('values are bound in the order of their names in the text, casts are no names', () => {
  mock.method(Date, 'now', () => 7);
  const values = { a: 1, b: null };
  const parameters = [null, 1, null, 7];
  assert.deepEqual(compile(buildSqliteDialect(), text).bind(values), {
    ...{ sql: 'select ?::text, ?, ? where x::text = ?', parameters },
  });
  assert.deepEqual(compile(buildPostgresDialect('s'), text).bind(values), {
    ...{ sql: 'select $1::text, $2, $3 where x::text = $4', parameters },
  });
  mock.restoreAll();
});

test('a value that is missing is a defect, not null', () => {
  const statement = compile<{ a?: number }>(buildSqliteDialect(), 'select :a');
  assert.throws(() => statement.bind({}), { code: 'internal.bug', message: /"a"/ });
});

test('a schema with any name is quoted', () => {
  assert.equal(buildPostgresDialect('a "b"').table('runs'), '"a ""b"""."runs"');
});
