import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtTable } from '../../../../test/support/written-table.ts';
import type { Json } from '../../../core/json.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import { breaksRule } from '../../../engines/conditions/matches.ts';
import { createPatternTest } from '../../../engines/values/patterns.ts';
import type { Table, TableRow } from '../table.ts';
import { createRowCheck } from './check-row.ts';

/** Returns the violations of one record. */
function checkRow(
  table: Table,
  row: TableRow,
  changed?: ReadonlySet<string>,
): ReturnType<ReturnType<typeof createRowCheck>> {
  return createRowCheck(table, [row])(row, changed && ((field) => changed.has(field)));
}

/** Returns the violations of one value in a field with some attributes. */
function said(attributes: string, value: Json): string {
  const table = builtTable({ id: 'Primary Key', it: attributes });
  return checkRow(table, { id: 1, it: value })
    .map(({ field, message }) => `${field ?? ''}: ${message}`)
    .join(' ');
}

describe('a value', () => {
  const good: readonly (readonly [string, Json])[] = [
    ['Required', 'x'],
    ['Max Length: 3', 'a😀b'],
    ['Min Length: 3', 'a😀b'],
    ['Type: integer; Min: 0; Max: 5', 0],
    ['Type: bigint; Max: 9', -5],
    ['Type: decimal; Values: [1.0, 2.5]', 1],
    ['Values: [ok, in repair]', 'in repair'],
    ['Type: array; Values: [a, b]; Max Length: 2', ['b', 'a']],
    ['Pattern: ^[A-Z]-[0-9]+$', 'D-17'],
    ['Type: bigint; Pattern: ^9', '9007199254740993'],
    ['Type: date', '2024-02-29'],
    ['Type: datetime', '0001-01-01T00:00:00.000Z'],
    ['Type: time', '23:59:59'],
    ['Type: json', { a: [1, null] }],
    ['Type: boolean', false],
    ['Max Length: 1', null],
  ];
  for (const [attributes, value] of good)
    test(`${JSON.stringify(value)} keeps ${attributes}`, () => assert.equal(said(attributes, value), ''));

  const bad: readonly (readonly [string, Json, RegExp])[] = [
    ['Required; Label: Name', null, /^it: Name is required\.$/],
    ['Max Length: 2; Label: Name', 'a😀b', /^it: Name "a😀b" has 3 characters; the maximum is 2\.$/],
    ['Min Length: 4', 'a😀b', /has 3 characters; the minimum is 4\.$/],
    ['Type: integer; Max: 5', 6, /^it: it "6" is too large; the maximum is 5\.$/],
    ['Type: decimal; Min: 0', -0.5, /too small; the minimum is 0\.$/],
    ['Type: bigint; Max: 999999999999999', '9007199254740992', /too large/],
    ['Values: [ok, faulty]', 'OK', /^it: it "OK" is not one of: ok, faulty\.$/],
    ['Type: array; Values: [a, b]', ['a', 'c'], /"c" is not one of: a, b\.$/],
    ['Type: array; Max Length: 1', ['a', 'b'], /has 2 entries; the maximum is 1/],
    ['Pattern: ^[A-Z]$', 'd', /^it: it "d" does not match the pattern \^\[A-Z\]\$\.$/],
    ['Pattern: ^x$', 'y'.repeat(100), /"y{60}…" does not match/],
    ['Type: integer', '5', /^it: it "5" is not a whole number\.$/],
    ['Type: integer', 2 ** 53, /is not a whole number/],
    ['Type: bigint', '12', /is not a whole number/],
    ['Type: decimal', 'NaN', /is not a number/],
    ['Type: boolean', 1, /is not true or false/],
    ['Type: date', '2026-02-30', /is not a date such as/],
    ['Type: date', '0000-01-01', /is not a date/],
    ['Type: datetime', '2026-01-01', /is not a time such as/],
    ['Type: time', '24:00:00', /is not a time of day/],
    ['Type: uuid', 'x', /is not a UUID/],
    ['Type: array', 'x', /is not a list/],
    ['', 5, /is not text/],
    ['', '\ud800', /is not text/],
  ];
  for (const [attributes, value, expected] of bad)
    test(`${JSON.stringify(value)} breaks ${attributes || 'its type'}`, () =>
      assert.match(said(attributes, value), expected));
});

describe('a record', () => {
  const table = builtTable(
    {
      tag: 'Primary Key: given',
      status: 'Values: [ok, faulty]',
      note: 'Required: if status is faulty',
      bought: 'Type: date',
      sold: 'Type: date; Required',
      price: 'Type: decimal; Min: 0',
    },
    '## Business Rules\n\n- if status is faulty then price is at most 10\n',
  );
  const row: TableRow = { tag: 'D-1', status: 'faulty', note: null, bought: null, sold: null, price: -1 };
  const fieldsOf = (changed?: readonly string[], over: TableRow = {}): readonly string[] =>
    checkRow(table, { ...row, ...over }, changed && new Set(changed)).map(({ field = 'rule' }) => field);

  test('that is new is held against every rule', () => {
    assert.deepEqual(fieldsOf(), ['note', 'sold', 'price']);
    assert.deepEqual(fieldsOf(undefined, { price: 11, sold: '2026-01-01' }), ['note', 'rule']);
    assert.deepEqual(fieldsOf(undefined, { status: null, price: 11 }), ['sold']);
    assert.deepEqual(fieldsOf(undefined, { tag: null }), ['tag', 'note', 'sold', 'price']);
  });

  test('that changes is held against what the change involves', () => {
    assert.deepEqual(fieldsOf(['bought']), []);
    assert.deepEqual(fieldsOf(['price']), ['price']);
    assert.deepEqual(fieldsOf(['status']), ['note']);
    assert.deepEqual(fieldsOf(['note']), ['note']);
    assert.deepEqual(fieldsOf(['status'], { price: 11 }), ['note', 'rule']);
  });

  test('is not held against a rule that speaks of a value which is not there', () => {
    const breaks = (holds: Condition, over: TableRow): boolean =>
      breaksRule(table, holds, { ...row, ...over });
    const cheap: Condition = { field: 'price', is: 'at-most', value: 10 };
    const faulty: Condition = { field: 'status', is: 'equals', value: 'faulty' };
    assert.deepEqual([breaks(cheap, { price: 11 }), breaks(cheap, { price: null })], [true, false]);
    assert.equal(breaks({ not: cheap }, { price: null }), false);
    assert.equal(breaks({ all: [cheap, faulty] }, { price: null, status: 'ok' }), true);
    assert.equal(breaks({ any: [cheap, faulty] }, { price: null, status: 'ok' }), false);
    assert.equal(breaks({ field: 'price', is: 'not-empty' }, { price: null }), true);
  });

  test('names the rule that does not hold', () => {
    const [fault] = checkRow(table, { ...row, price: 11 }, new Set(['price']));
    assert.equal(fault?.message, 'This rule is broken: if status is faulty then price is at most 10');
    const [required] = checkRow(table, row, new Set(['note']));
    assert.equal(required?.message, 'note is required: if status is faulty.');
  });
});

describe('a pattern that could work for years', () => {
  const endless = { source: '^(a+)+$', flags: '' };

  test('is stopped, and what it could not tell is refused', () => {
    assert.match(
      said('Pattern: ^(a+)+$', `${'a'.repeat(60)}b`),
      /takes too long to match .* so it is refused\.$/,
    );
    assert.equal(said('Pattern: ^(a+)+$', 'aaa'), '');
    assert.match(said('Pattern: ^(a+)+$', 'aab'), /does not match/);
  });

  test('is not tried again and again', () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(60)}${index}b`);
    const testPattern = createPatternTest(() => texts);
    const outcomes = texts.map((text) => testPattern(endless, text));
    assert.deepEqual(new Set(outcomes), new Set(['slow']));
    assert.equal(testPattern(endless, 'aaaa'.repeat(20)), 'fits');
    assert.equal(testPattern({ source: '^b$', flags: 'i' }, 'B'), 'fits');
  });

  test('is not run on texts without end', () => {
    assert.match(said('Pattern: x', 'y'.repeat(10_001)), /takes too long/);
    assert.equal(said('Pattern: x', `${'y'.repeat(9000)}x`), '');
  });

  test('leaves what ends soon its time, however many texts there are', () => {
    const email = { source: '^\\S+@\\S+\\.\\S+$', flags: '' };
    const texts = Array.from(
      { length: 20_000 },
      (_, index) => `user${index}@${'mail.'.repeat(20)}example.com`,
    );
    const testPattern = createPatternTest(() => texts);
    assert.deepEqual(new Set(texts.map((text) => testPattern(email, text))), new Set(['fits']));
    assert.equal(testPattern(email, 'no address'), 'other');
    assert.equal(testPattern({ source: '[[a-z]--[b]]', flags: 'v' }, 'b'), 'other');
  });
});
