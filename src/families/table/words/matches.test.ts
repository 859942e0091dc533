import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomCondition } from '../../../../test/support/random-requests.ts';
import { clock, equipment, tableOf } from '../../../../test/support/word-tables.ts';
import type { Json } from '../../../core/json.ts';
import { negate } from '../../../engines/conditions/conditions.ts';
import { compareValues, matches } from '../../../engines/conditions/matches.ts';
import type { TableRow } from '../table.ts';
import { readCondition } from './conditions.ts';
import fc from 'fast-check';

const row: TableRow = {
  equipment_id: 'D-17',
  name: 'Drill 18V 100%_',
  status: 'faulty',
  stock: 0,
  price: 12.5,
  active: false,
  due_date: '2026-11-16',
  bought: '2026-11-16T13:30:00.000Z',
  serial: 'Ab',
  opens: '14:30:00',
  tags: [],
  notes: '',
};

function fits(words: string): boolean {
  const read = readCondition(equipment, words, clock);
  assert.ok('condition' in read, `${words}: ${JSON.stringify(read)}`);
  const is = matches(equipment, read.condition, row);
  assert.equal(matches(equipment, negate(read.condition), row), !is, words);
  return is;
}

test('a record fits what is so, and nothing else', () => {
  for (const words of [
    ...[
      'name is "DRILL 18v 100%_"',
      'name contains "drill"',
      'name ends with "%_"',
      'name < "e"',
      'serial = Ab',
    ],
    ...[
      'stock = 0',
      'stock >= 0',
      'price between 12.5 and 13',
      'active is no',
      'status in (ok, faulty)',
      'equipment_id is D-17',
    ],
    ...[
      'due date today',
      'due date <= 2026-11-16',
      'bought on 2026-11-16',
      'bought < 2026-11-16 14:31',
      'opens after 2 pm',
    ],
    ...[
      'grade is empty',
      'notes is empty',
      'tags is not empty',
      'grade is not used',
      'area not in (A, B)',
      'not area contains x',
    ],
    ...['not (price > 20 or grade is used)', 'grade is empty and stock = 0', 'not area > a'],
  ]) {
    assert.ok(fits(words), words);
  }
  for (const words of [
    ...[
      'serial = ab',
      'equipment_id is "d-17"',
      'serial contains "AB"',
      'name contains "18v%"',
      'name starts with "%"',
      'stock > 0',
    ],
    ...['grade is used', 'area < z', 'area >= A', 'grade in (new, used)', 'active'],
    ...[
      'bought before 2026-11-16',
      'bought after 2026-11-16',
      'name is empty',
      'stock is empty',
      'area between A and Z',
    ],
  ]) {
    assert.ok(!fits(words), words);
  }
});

test('texts are in the order of their bytes without regard to the case of ASCII letters', () => {
  const [name, serial] = [equipment.find('name')!, equipment.find('serial')!];
  const sorted = ['10', '9', 'a', 'B', 'b_', 'Z', '[', 'É', 'é', '\uffff', '😀'];
  const folded = sorted.toSorted((a, b) => compareValues(name, a, b));
  assert.deepEqual(folded, ['10', '9', '[', 'a', 'B', 'b_', 'Z', 'É', 'é', '\uffff', '😀']);
  assert.equal(compareValues(name, 'ÄB', 'Äb'), 0);
  assert.notEqual(compareValues(name, 'Ä', 'ä'), 0);
  assert.notEqual(compareValues(serial, 'B', 'b'), 0);
});

test('numbers beyond what a program holds are compared exactly', () => {
  const field = equipment.find('serial_count')!;
  assert.ok(compareValues(field, '9007199254740993', '9007199254740992') > 0);
  assert.ok(compareValues(field, 5, '9007199254740993') < 0);
  assert.equal(compareValues(field, 5, '5'), 0);
});

test('a field that is named like something of objects has no value of its own', () => {
  const table = tableOf('T', 'id: integer; Primary Key=', 'toString: string');
  assert.ok(matches(table, { field: 'toString', is: 'empty' }, {}));
  assert.ok(!matches(table, { field: 'missing', is: 'empty' }, {}));
});

test('every record fits a condition or its complement, never both', () => {
  const cell = fc.constantFrom<Json>(
    null,
    '',
    'a',
    'A',
    'ok',
    0,
    1,
    true,
    false,
    '2026-11-16',
    '2026-11-16T00:00:00.000Z',
  );
  const rows = fc.record(Object.fromEntries(equipment.fields.map(({ name }) => [name, cell])), {
    requiredKeys: [],
  });
  const isNumber = new Set(['integer', 'decimal', 'bigint']);
  fc.assert(
    fc.property(randomCondition, rows, (condition, given) => {
      const tidy: Record<string, Json> = {};
      for (const [name, value = null] of Object.entries(given)) {
        const mustBeNumber = isNumber.has(equipment.find(name)!.type);
        tidy[name] = mustBeNumber && typeof value !== 'number' ? null : value;
      }
      const is = matches(equipment, condition, tidy);
      assert.equal(matches(equipment, { not: condition }, tidy), !is);
      assert.equal(matches(equipment, negate(condition), tidy), !is);
      assert.equal(matches(equipment, { all: [condition, negate(condition)] }, tidy), false);
      assert.equal(matches(equipment, { any: [condition, negate(condition)] }, tidy), true);
    }),
    { numRuns: 300 },
  );
  assert.equal(matches(equipment, { all: [] }, {}), true);
  assert.equal(matches(equipment, { any: [] }, {}), false);
});
