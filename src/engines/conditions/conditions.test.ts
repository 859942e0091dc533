import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, anyOf, comparisonsOf, fieldsIn, negate, type Condition } from './conditions.ts';
import { breaksRule, matches } from './matches.ts';

const fields = [
  { name: 'id', type: 'string', key: 'given' },
  { name: 'name', type: 'string' },
  { name: 'price', type: 'decimal' },
] as const;
const finder = { find: (name: string) => fields.find((field) => field.name === name) };
const cheap: Condition = { field: 'price', is: 'less', value: 10 };
const named: Condition = { field: 'name', is: 'equals', value: 'saw' };

test('a condition or its negation matches each record', () => {
  const rows = [
    { id: 'a', name: 'SAW', price: 5 },
    { id: 'A', name: null, price: null },
  ];
  for (const condition of [cheap, named, allOf([cheap, named]), anyOf([cheap, negate(named)])])
    for (const row of rows)
      assert.equal(matches(finder, negate(condition), row), !matches(finder, condition, row));
  assert.ok(matches(finder, named, rows[0] ?? {}), 'text ignores case');
  assert.ok(!matches(finder, { field: 'id', is: 'equals', value: 'A' }, rows[0] ?? {}), 'keys do not');
});

test('conditions are combined without needless nesting', () => {
  assert.deepEqual(allOf([allOf([cheap, named]), cheap]), { all: [cheap, named, cheap] });
  assert.equal(anyOf([cheap]), cheap);
  assert.deepEqual(fieldsIn({ not: anyOf([cheap, named]) }), ['price', 'name']);
  assert.deepEqual(negate(negate(cheap)), cheap);
});

test('a rule about a missing value is not broken', () => {
  assert.equal(breaksRule(finder, cheap, { price: null }), false);
  assert.equal(breaksRule(finder, { not: cheap }, { price: null }), false);
  assert.equal(breaksRule(finder, cheap, { price: 11 }), true);
});

test('a kind of values supports only comparisons that make sense', () => {
  assert.ok(!comparisonsOf('boolean').includes('less'));
  assert.ok(comparisonsOf('string').includes('contains'));
  assert.deepEqual(comparisonsOf('json'), ['empty', 'not-empty']);
});
