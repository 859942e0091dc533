import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from '../../../core/descriptor/bundle.ts';
import { table } from '../index.ts';
import type { TableDefinition, TableField } from './definition.ts';

/** Parses a field with these lines below its heading, in a table without other issues. */
function field(...lines: readonly string[]): {
  readonly field: TableField;
  readonly found: readonly string[];
} {
  const text = [
    '# T Skill',
    '## Table Purpose',
    'P.',
    '## Fields',
    '### id',
    'Key.',
    '#### PK',
    '### x',
    'Text.',
    ...lines,
  ];
  const parsed = table.parse(bundleOfText(text.join('\n'), nowhere));
  return {
    field: (parsed.definition as TableDefinition).fields[1]!,
    found: parsed.issues.map(({ level, code, line }) => `${level} ${code} ${line ?? ''}`),
  };
}

test('a bare Required or Primary Key means what it says, and no means no', () => {
  assert.equal(field('#### Required').field.required, true);
  assert.equal(field('#### Is Required', 'Always required.').field.required, true);
  assert.equal(field('#### Required', 'no').field.required, undefined);
  assert.deepEqual(field('#### Primary Key').field.primaryKey, { kind: 'auto-increment' });
  assert.deepEqual(field('#### PrimaryKey', '#### Type', 'uuid').field.primaryKey, { kind: 'uuid' });
  assert.deepEqual(field('#### PK', '#### Type', 'varchar').field.primaryKey, { kind: 'given' });
  assert.deepEqual(field('#### PK', 'Auto-increment').field.primaryKey, { kind: 'auto-increment' });
  assert.deepEqual(field('#### Primary', 'A letter, then the year.').field.primaryKey, {
    kind: 'prose',
    prose: { text: 'A letter, then the year.', line: 11 },
  });
  assert.equal(field('#### Primary Key', 'no').field.primaryKey, undefined);
});

test('a numbered key can be described in words, with its first number', () => {
  const numbered: Readonly<Record<string, number>> = {
    'Auto-increment starting from 1': 1,
    'An auto-incrementing integer, starting at `1`.': 1,
    'auto increment integer, starts at 1': 1,
    'Auto-increment (starts from one)': 1,
    'Serial number': 1,
    'Auto-increment, starting from 100': 100,
    'Auto-increment starting from 1,000': 1000,
    'An automatically incremented number that begins with 7.': 7,
    'Autoincrement; start: 20': 20,
  };
  for (const [said, start] of Object.entries(numbered)) {
    const expected = { kind: 'auto-increment', ...(start === 1 ? {} : { start }) };
    assert.deepEqual(field('#### Primary Key', said).field.primaryKey, expected, said);
    assert.deepEqual(field('#### Type', 'integer', '#### PK', said).field.primaryKey, expected, said);
  }
});

test('a rule that only resembles a numbered key stays prose', () => {
  for (const said of [
    'Auto-increment, starting from 0',
    'Auto-increment, starting from -5',
    'Auto-increment starting from 1.5',
    'Auto-increment, starting from 100 each year',
    'Auto-increment, starting from the number of areas',
    'Auto-increment with the prefix A',
    'Not auto-increment',
    'Automobile number',
    'Starting from 100',
    'Auto-increment, 100',
  ])
    assert.equal(field('#### Primary Key', said).field.primaryKey?.kind, 'prose', said);
});

test('nothing is guessed from prose', () => {
  const { field: read, found } = field(
    ...[
      'Maintenance point, updated daily by email.',
      '#### Validator',
      'A link of at most 5 items, maximum 10.',
    ],
    ...['#### Enumerator', 'Either "a" or "b".'],
  );
  assert.deepEqual(found, []);
  assert.deepEqual(Object.keys(read), ['name', 'line', 'description', 'type', 'validator', 'enumerator']);
  assert.equal(read.type, 'string');
});

test('Max and Min limit numbers by value and text by length', () => {
  const text = field('#### Max', '5', '#### Min', '2').field;
  assert.deepEqual([text.minLength, text.maxLength, text.maximum], [2, 5, undefined]);
  const number = field('#### Type', 'decimal', '#### Max', '5.5', '#### Min', '-2').field;
  assert.deepEqual([number.minimum, number.maximum, number.maxLength], [-2, 5.5, undefined]);
  const both = field('#### Type', 'varchar(255)', '#### Max Length', '10').field;
  assert.equal(both.maxLength, 10);
  assert.deepEqual(field('#### Max', '2', '#### Min', '3').found, ['warning table.bounds 13']);
  assert.deepEqual(field('#### Max Length', '-3').found, ['warning table.number 11']);
});

test('values come from a list, a Values attribute or the type', () => {
  assert.deepEqual(field('#### Enumerator', '- a', '- b').field.values, ['a', 'b']);
  assert.deepEqual(field('#### Values', 'a, b').field.values, ['a', 'b']);
  assert.deepEqual(field('#### Type', 'enum(a, b)').field.values, ['a', 'b']);
  assert.equal(field('#### Enumerator', '[a, b]').field.enumerator, undefined);
});

test('a repeated attribute is reported and the first counts', () => {
  const { field: read, found } = field('#### Type', 'date', '#### Data Type', 'time');
  assert.equal(read.type, 'date');
  assert.deepEqual(found, ['warning table.attribute-repeated 12']);
});

test('a presenter without a resolver, or the reverse, is only mentioned', () => {
  assert.deepEqual(field('#### Presenter', 'Bold.').found, ['info table.one-way 8']);
  assert.deepEqual(field('#### Resolver', 'Plain.').found, ['info table.one-way 8']);
});
