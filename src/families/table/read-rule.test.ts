import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtTable } from '../../../test/support/written-table.ts';
import { readRule } from './read-rule.ts';

const table = builtTable({
  id: 'Primary Key',
  name: '',
  price: 'Type: decimal',
  status: 'Values: [ok, faulty, in repair]',
  bought: 'Type: date',
});

test('a rule that is a condition is read as one', () => {
  const rules = {
    'if status is in repair': { field: 'status', is: 'equals', value: 'in repair' },
    'unless status is ok.': { not: { field: 'status', is: 'equals', value: 'ok' } },
    '`price > 0`': { field: 'price', is: 'more', value: 0 },
    'when name is "odd one"': { field: 'name', is: 'equals', value: 'odd one' },
    'name starts with D-17': { field: 'name', is: 'starts-with', value: 'D-17' },
    'name is not empty': { field: 'name', is: 'not-empty' },
    'bought is after 2020-01-01': { field: 'bought', is: 'more', value: '2020-01-01' },
    'if status is faulty, then price is at most 10': {
      any: [
        { not: { field: 'status', is: 'equals', value: 'faulty' } },
        { field: 'price', is: 'at-most', value: 10 },
      ],
    },
  };
  for (const [text, condition] of Object.entries(rules))
    assert.deepEqual(readRule(table, text), condition, text);
});

test('a rule that only looks like a condition stays prose', () => {
  const prose = [
    ...['The name is unique.', 'name is hard to understand', 'Names are short', 'The name must be polite.'],
    ...[
      'name starts with a capital letter',
      'name is required',
      'price is reasonable',
      'Old items are kept.',
    ],
    ...[
      'if name is odd then price is at most 10',
      'bought is today',
      'bought is before yesterday',
      'name',
      '',
    ],
  ];
  for (const text of prose) assert.equal(readRule(table, text), undefined, text);
});

test('a rule with very many spaces is read at once', () => {
  const spaces = ' '.repeat(20_000);
  assert.equal(readRule(table, `if${spaces}x`), undefined);
  assert.deepEqual(
    readRule(table, `if price > 0 ,${spaces}then${spaces}price > 1`),
    readRule(table, 'if price > 0, then price > 1'),
  );
});
