import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spellCondition } from '../../../../test/support/spell-request.ts';
import { clock, equipment, tableOf } from '../../../../test/support/word-tables.ts';
import { readAssignments } from './assignments.ts';
import { readCondition } from './conditions.ts';

test('a whole text is a condition, or the first thing that is none is reported', () => {
  const { fields } = equipment;
  const spelled = (words: string): string => {
    const read = readCondition({ fields }, words, clock);
    return 'condition' in read ? spellCondition(read.condition) : `${read.at} ${read.fault}`;
  };
  assert.equal(spelled('status is faulty and not (price > 5)'), '(status equals "faulty" & !price more 5)');
  assert.equal(spelled('where the equipment name is "x"'), 'name equals "x"');
  assert.equal(spelled('active'), 'active equals true');
  assert.equal(spelled('status is faulty sorted by name'), '17 Unexpected "sorted" in the condition.');
  assert.equal(spelled('status is faulty)'), '16 Unexpected ")" in the condition.');
  assert.equal(spelled('nobody knows'), '0 It is not clear what "nobody" means.');
  assert.equal(spelled('status is ok and nobody knows'), '17 It is not clear what "nobody" means.');
  assert.equal(spelled('size > 5'), '0 Which field do you mean by "size"? It can be width or height.');
  assert.equal(spelled(''), '0 A condition is missing at the end.');
  assert.equal(spelled('"'), '0 The quote " is not closed.');
  assert.equal(
    spelled(`${'('.repeat(17)}active${')'.repeat(17)}`),
    '16 The condition is nested deeper than 16 levels.',
  );
  assert.equal(spelled(`${'('.repeat(15)}active${')'.repeat(15)}`), 'active equals true');
  assert.match(
    spelled(Array.from({ length: 101 }, () => 'active').join(' and ')),
    /There are more than 100 conditions\.$/,
  );
  assert.match(spelled('x'.repeat(300_000)), /too long/);
});

test('assignments are read where words begin with a field and a value', () => {
  const cases: readonly (readonly [string, ReturnType<typeof readAssignments>])[] = [
    ['name "Drill 18V", area A', { set: { name: 'Drill 18V', area: 'A' } }],
    ['area B', { set: { area: 'B' } }],
    ['change name to X', { set: { name: 'X' } }],
    ['set the tool name to "X" and the price to 1,250', { set: { name: 'X', price: 1250 } }],
    ['name: Saw\nstock: 0\nactive: no', { set: { name: 'Saw', stock: 0, active: false } }],
    ['status in repair; serial null', { set: { status: 'in repair', serial: null } }],
    ['notes take the first 5 off the desk', { set: { notes: 'take the first 5 off the desk' } }],
    ['equipment_id D-99', { set: { equipment_id: 'D-99' } }],
    ['name', undefined],
    ['yes', undefined],
    ['Drill 18V', undefined],
    ['', undefined],
    ['how many are there', undefined],
    ['price abc', { fault: '"price" must be a number, not "abc".', at: 6 }],
    ['price 5, colour red', { fault: '"colour" is not a field of this table.', at: 9 }],
    ['price 5, price 6', { fault: '"price" has two values.', at: 9 }],
    ['worth 5', { fault: '"worth" is computed from other fields and cannot be set.', at: 0 }],
    ['name "x', { fault: 'The quote " is not closed.', at: 5 }],
    ['size 5', { fault: 'Which field do you mean by "size"?', at: 0 }],
  ];
  for (const [words, expected] of cases)
    assert.deepEqual(readAssignments(equipment, words, clock), expected, words);
});

test('what code must resolve is passed on as it was said', () => {
  const table = tableOf('T', 'id: integer; Primary Key=', 'price: decimal; Resolver=Drops the sign.');
  assert.deepEqual(readAssignments(table, 'price €5', clock), { set: { price: '€5' } });
});
