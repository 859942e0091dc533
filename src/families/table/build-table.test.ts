import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtTable, writtenTable } from '../../../test/support/written-table.ts';
import { buildTable } from './build-table.ts';
import type { Field } from './table.ts';

const names = (fields: readonly Field[]): readonly string[] => fields.map(({ name }) => name);

test('the same definition is built once', () => {
  const definition = writtenTable({ name: '' });
  assert.equal(buildTable(definition), buildTable(definition));
});

test('a table without a key gets one of its own, which is called otherwise where the name is taken', () => {
  const { fields, key } = builtTable({ name: '' });
  assert.deepEqual([names(fields), names(key), key[0]?.key], [['id', 'name'], ['id'], 'auto-increment']);
  assert.deepEqual(names(builtTable({ ID: '', name: '' }).fields), ['record_id', 'ID', 'name']);
  assert.deepEqual(names(builtTable({ number: 'Aliases: id, record id' }).fields), ['record_id_2', 'number']);
});

const keys: readonly (readonly [attributes: string, type: string, key: string])[] = [
  ['Primary Key', 'integer', 'auto-increment'],
  ['Primary Key: auto-increment; Type: bigint', 'bigint', 'auto-increment'],
  ['Primary Key: auto-increment; Type: varchar(9)', 'integer', 'auto-increment'],
  ['Primary Key: uuid', 'uuid', 'uuid'],
  ['Primary Key: uuid; Type: varchar(36)', 'string', 'uuid'],
  ['Primary Key; Type: date', 'date', 'given'],
  ['Primary Key: The first letters of the name.', 'string', 'prose'],
];
for (const [attributes, type, key] of keys) {
  test(`the key "${attributes}" is ${type}, ${key}`, () => {
    const [field] = builtTable({ code: attributes }).key;
    assert.deepEqual([field?.type, field?.key], [type, key]);
  });
}

test('keys of several fields are given, in the types declared', () => {
  const { key } = builtTable({ order: 'Primary Key; Type: integer', part: 'Primary Key' });
  assert.deepEqual(
    key.map(({ type, key: kind }) => [type, kind]),
    [
      ['integer', 'given'],
      ['string', 'given'],
    ],
  );
});

test('fields are found by name, label, short label and alias in any spelling, names first', () => {
  const { find } = builtTable({
    unit_price: 'Label: Price per unit; Short Label: Price; Aliases: cost, name',
    name: '',
  });
  for (const name of ['unit price', 'UNIT-PRICE', 'price per unit', 'Price', 'cost'])
    assert.equal(find(name)?.name, 'unit_price', name);
  assert.equal(find('NAME')?.name, 'name');
  assert.equal(find('nothing'), undefined);
});

test('what can be worked out is native, and fields that follow from themselves are not', () => {
  const { find } = builtTable({
    price: 'Type: decimal',
    amount: 'Type: integer',
    total: 'Type: decimal; Derived: price * amount',
    a: 'Type: integer; Derived: b + 1',
    b: 'Type: integer; Derived: a + 1',
    c: 'Derived: As the moon stands.',
  });
  assert.deepEqual(find('total')?.derived, { call: '*', of: [{ field: 'price' }, { field: 'amount' }] });
  for (const name of ['a', 'b', 'c']) assert.equal(find(name)?.derived, undefined, name);
});

test('conditions on other fields are native unless they depend on the time', () => {
  const rules =
    '\n## Business Rules\n\n- price at least 0\n- due before tomorrow\n- Be kind.\n- If status is open then price is 0.\n';
  const table = builtTable(
    {
      status: 'Values: [open, done]',
      price: 'Type: decimal',
      due: 'Type: date',
      why: 'Required: when status is done',
      how: 'Required: On Sundays.',
      who: 'Required: unless status is open',
    },
    rules,
  );
  const isDone = { field: 'status', is: 'equals', value: 'done' };
  assert.deepEqual(table.find('why')?.requiredIf, isDone);
  assert.equal(table.find('how')?.requiredIf, undefined);
  assert.deepEqual(table.find('who')?.requiredIf, { not: { ...isDone, value: 'open' } });
  assert.deepEqual(
    table.recordRules.map(({ holds }) => holds),
    [
      { field: 'price', is: 'at-least', value: 0 },
      { any: [{ not: { ...isDone, value: 'open' } }, { field: 'price', is: 'equals', value: 0 }] },
    ],
  );
});

test('references come from the relationships', () => {
  const links =
    '\n## Relationships\n\n### Area\n\n- area -> areas.area_id\n\n### Maker\n\n- Type: many-to-one with makers\n- Foreign: maker\n';
  const { find } = builtTable({ area: '', maker: '', other: '' }, links);
  assert.deepEqual(find('area')?.references, { table: 'areas', field: 'area_id' });
  assert.deepEqual(find('maker')?.references, { table: 'makers' });
  assert.equal(find('other')?.references, undefined);
});

test('what is asked for and what is listed follows from the fields unless it is declared', () => {
  const fields = {
    code: 'Primary Key: given',
    name: 'Required',
    sum: 'Required; Derived: 1 + 1',
    note: 'Type: text; Required',
    extra: 'Type: json',
    a: '',
    b: '',
    c: '',
    d: '',
    e: '',
    f: '',
  };
  const open = builtTable(fields);
  assert.deepEqual(names(open.interactive), ['code', 'name', 'note']);
  assert.deepEqual(names(open.listed), ['code', 'name', 'sum', 'a', 'b', 'c', 'd', 'e']);
  const declared = builtTable(
    fields,
    '\n## Interactive Fields\n\n- b\n- name\n\n## List Extra Fields\n\nnote\n',
  );
  assert.deepEqual(names(declared.interactive), ['name', 'b']);
  assert.deepEqual(names(declared.listed), ['code', 'name', 'note', 'b']);
});
