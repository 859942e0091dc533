import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spellRequest } from '../../../../test/support/spell-request.ts';
import { clock, equipment, tableOf } from '../../../../test/support/word-tables.ts';
import { isAgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Condition } from '../../../engines/conditions/conditions.ts';
import { fitRequest } from './fit-request.ts';

const leaf = (field: string, is: string, ...value: readonly Json[]): Json =>
  value.length === 0 ? { field, is } : { field, is, value: value[0] ?? null };
const list = (where: Json): Json => ({ operation: 'list', where });

test('what fits is put into the forms of its fields', () => {
  const cases: readonly (readonly [Json, string])[] = [
    [{ operation: 'list' }, 'list'],
    [{ operation: 'list', where: null, limit: 5, offset: 0 }, 'list limit 5 offset 0'],
    [{ operation: 'list', fields: ['Due date', 'COST'] }, 'list fields ["due_date","price"]'],
    [
      { operation: 'list', sort: ['name', { field: 'price', direction: 'down' }] },
      'list sort [{"field":"name","direction":"up"},{"field":"price","direction":"down"}]',
    ],
    [list(leaf('price', 'more', '1,250.5')), 'list where price more 1250.5'],
    [list(leaf('status', 'equals', 'IN REPAIR')), 'list where status equals "in repair"'],
    [list(leaf('area', 'equals', null)), 'list where area empty'],
    [list(leaf('area', 'not-equals', '')), 'list where area not-empty'],
    [list(leaf('area', 'in', ['A', null, 'A'])), 'list where (area in ["A"] | area empty)'],
    [list(leaf('area', 'not-in', ['A', null])), 'list where (area not-in ["A"] & area not-empty)'],
    [list(leaf('stock', 'equals', 0)), 'list where stock equals 0'],
    [list(leaf('active', 'equals', false)), 'list where active equals false'],
    [list(leaf('name', 'contains', 5)), 'list where name contains "5"'],
    [
      list(leaf('due_date', 'between', ['1 Jan 2026', 'today'])),
      'list where due_date between ["2026-01-01","2026-11-16"]',
    ],
    [
      list(leaf('bought', 'equals', '2026-11-16')),
      'list where (bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z")',
    ],
    [
      list(leaf('bought', 'not-in', ['2026-11-16', '2026-11-16T10:00:00Z'])),
      'list where (bought not-in ["2026-11-16T10:00:00.000Z"] & !(bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z"))',
    ],
    [
      list({ all: [leaf('stock', 'empty'), { not: { any: [leaf('area', 'equals', 'A')] } }] }),
      'list where (stock empty & !(area equals "A"))',
    ],
    [list({ field: 'stock', is: 'empty', value: null, all: null, any: null }), 'list where stock empty'],
    [
      { operation: 'group', by: 'status', measure: 'count', field: null },
      'group by "status" measure "count"',
    ],
    [
      { operation: 'group', by: 'area', measure: 'sum', field: 'price', limit: 3 },
      'group by "area" measure "sum" field "price" limit 3',
    ],
    [{ operation: 'maximum', field: 'due_date' }, 'maximum field "due_date"'],
    [
      { operation: 'add', records: [{ title: 'Saw', stock: '3', tags: 'a, b' }] },
      'add records [{"name":"Saw","stock":3,"tags":["a","b"]}]',
    ],
    [{ operation: 'add', records: {} }, 'add records [{}]'],
    [{ operation: 'update', set: { serial: null }, many: false }, 'update set {"serial":null}'],
    [
      { operation: 'delete', where: leaf('stock', 'equals', 0), many: true },
      'delete where stock equals 0 many true',
    ],
    [
      { operation: 'import', file: 'a.csv', partial: true, format: 'csv' },
      'import file "a.csv" format "csv" partial true',
    ],
    [{ operation: 'undo' }, 'undo'],
  ];
  for (const [given, expected] of cases)
    assert.equal(spellRequest(fitRequest(equipment, given, clock)), expected);
});

function nested(depth: number): Json {
  return depth === 0 ? leaf('stock', 'empty') : { not: nested(depth - 1) };
}

test('what does not fit is refused by the name of the member', () => {
  const many = Array.from({ length: 101 }, () => leaf('stock', 'empty'));
  const cases: readonly (readonly [Json, string])[] = [
    ['list', 'A request must be an object, not "list".'],
    [[], 'A request must be an object, not "[]".'],
    [{}, '"operation" is missing.'],
    [{ operation: 'lst' }, '"operation" cannot be "lst".'],
    [{ operation: 'list', wher: 1 }, '"wher" is not a valid property of a request to list.'],
    [
      { operation: 'undo', where: leaf('stock', 'empty') },
      '"where" is not a valid property of a request to undo.',
    ],
    [{ operation: 'list', where: 'x' }, '"where" must be an object, not "x".'],
    [list({}), '"where" is empty.'],
    [list({ all: [] }), '"where.all" is empty.'],
    [
      list({ all: [leaf('colour', 'equals', 1)] }),
      '"where.all[0].field" cannot be "colour", which is not a field of Equipment.',
    ],
    [list({ all: [leaf('area', 'is', 1)] }), '"where.all[0].is" cannot be "is".'],
    [
      list({ field: 'area', is: 'equals', value: 'A', not: leaf('stock', 'empty') }),
      '"where.field" cannot be combined with "not".',
    ],
    [list({ field: 'area', is: 'equals', values: 'A' }), '"where.values" cannot be combined with "field".'],
    [list(leaf('price', 'equals', 'abc')), '"where.value" is invalid: "price" must be a number, not "abc".'],
    [
      list(leaf('name', 'contains', 'a\0')),
      '"where.value" is invalid: "Equipment name" has a value with characters that databases cannot store.',
    ],
    [
      list(leaf('price', 'contains', 'a')),
      '"where.value" is invalid: "price" does not support the comparison "contains" because its type is decimal.',
    ],
    [
      list(leaf('price', 'less', null)),
      '"where.value" is invalid: "price" needs a value for the comparison "less".',
    ],
    [
      list(leaf('price', 'between', [5])),
      '"where.value" is invalid: "price" needs two values for the comparison "between".',
    ],
    [
      list(leaf('price', 'between', [5, 1])),
      '"where.value" is invalid: "price" cannot be between "5" and "1": the first value is greater than the second.',
    ],
    [list(leaf('price', 'in', 5)), '"where.value" is invalid: "price" needs a list for the comparison "in".'],
    [
      list(leaf('price', 'empty', 5)),
      '"where.value" is invalid: "price" does not take a value for the comparison "empty".',
    ],
    [
      list(nested(16)),
      '"where.not.not.not.not.not.not.not.not.not.not.not.not.not.not.not.not" is nested deeper than 16 levels.',
    ],
    [list({ any: many }), '"where" has more than 100 comparisons.'],
    [{ operation: 'list', limit: 0 }, '"limit" cannot be "0".'],
    [{ operation: 'list', limit: 1001 }, '"limit" cannot be "1001".'],
    [{ operation: 'list', limit: '5' }, '"limit" cannot be "5".'],
    [{ operation: 'list', offset: -1 }, '"offset" cannot be "-1".'],
    [{ operation: 'list', fields: [] }, '"fields" is empty.'],
    [{ operation: 'list', fields: ['price', 'cost'] }, '"fields" names "price" twice.'],
    [{ operation: 'list', fields: ['x'] }, '"fields[0]" cannot be "x", which is not a field of Equipment.'],
    [
      { operation: 'list', sort: [{ field: 'tags' }] },
      '"sort[0].field" cannot be used for sorting: the type of "tags" is array.',
    ],
    [
      { operation: 'list', sort: [{ field: 'name', direction: 'asc' }] },
      '"sort[0].direction" cannot be "asc".',
    ],
    [{ operation: 'show' }, '"where" is missing.'],
    [{ operation: 'sum' }, '"field" must be the name of a field.'],
    [
      { operation: 'sum', field: 'name' },
      '"field" cannot be used for the sum: the type of "name" is string.',
    ],
    [{ operation: 'group', by: 'area' }, '"measure" is missing.'],
    [{ operation: 'group', by: 'area', measure: 'sum' }, '"field" is missing.'],
    [
      { operation: 'group', by: 'area', measure: 'count', field: 'price' },
      '"field" cannot be combined with "count".',
    ],
    [
      { operation: 'group', by: 'extra', measure: 'count' },
      '"by" cannot be used for sorting: the type of "extra" is json.',
    ],
    [{ operation: 'add' }, '"records" is missing.'],
    [{ operation: 'add', records: [] }, '"records" is empty.'],
    [{ operation: 'add', records: [5] }, '"records[0]" must be an object, not "5".'],
    [
      { operation: 'add', records: [{ colour: 1 }] },
      '"records[0].colour" cannot be "colour", which is not a field of Equipment.',
    ],
    [
      { operation: 'add', records: [{ price: 1, cost: 2 }] },
      '"records[0].cost" refers to "price", which appears twice.',
    ],
    [
      { operation: 'add', records: [{ worth: 1 }] },
      '"records[0].worth" is computed from other fields and cannot be set.',
    ],
    [
      { operation: 'add', records: [{}, { stock: 'x' }] },
      '"records[1].stock" is invalid: "stock" must be a whole number, not "x".',
    ],
    [
      { operation: 'add', records: Array.from({ length: 10_001 }, () => ({})) },
      '"records" has 10001 records.',
    ],
    [{ operation: 'update', set: {} }, '"set" is empty.'],
    [{ operation: 'update' }, '"set" is missing.'],
    [
      { operation: 'update', set: { equipment_id: 'x' } },
      '"set.equipment_id" identifies the record and cannot be changed.',
    ],
    [{ operation: 'update', set: { stock: 1 }, many: 'yes' }, '"many" must be true or false, not "yes".'],
    [{ operation: 'import', file: '' }, '"file" must be a string, not "".'],
    [{ operation: 'export' }, '"file" is missing.'],
    [{ operation: 'export', file: 'a', format: 'xml' }, '"format" cannot be "xml".'],
  ];
  for (const [given, message] of cases) {
    assert.throws(
      () => fitRequest(equipment, given, clock),
      (thrown) => {
        assert.ok(isAgentError(thrown) && thrown.code === 'usage.bad-input');
        assert.equal(thrown.message, message, JSON.stringify(given).slice(0, 200));
        assert.match(thrown.hint ?? '', /^.+[.?]$/);
        return true;
      },
    );
  }
});

test('names that are nearly right are offered', () => {
  const hintOf = (given: Json): string | undefined => {
    try {
      fitRequest(equipment, given, clock);
    } catch (thrown) {
      if (isAgentError(thrown)) return thrown.hint;
    }
    return undefined;
  };
  assert.equal(hintOf({ operation: 'lst' }), 'Did you mean "list"?');
  assert.equal(hintOf({ operation: 'list', limt: 5 }), 'Did you mean "limit"?');
  assert.equal(hintOf(list(leaf('prise', 'less', 5))), 'Did you mean "price"?');
  assert.equal(hintOf(list(leaf('price', 'les', 5))), 'Did you mean "less"?');
});

test('what code must resolve is passed on as it was given', () => {
  const table = tableOf('T', 'id: integer; Primary Key=', 'price: decimal; Resolver=Drops the sign.');
  const given = { operation: 'add', records: [{ price: '€ 5' }] };
  assert.deepEqual(fitRequest(table, given, clock), given);
  const where: Condition = { field: 'price', is: 'equals', value: '€ 5' };
  assert.throws(() => fitRequest(table, { operation: 'list', where: where as unknown as Json }, clock));
});
