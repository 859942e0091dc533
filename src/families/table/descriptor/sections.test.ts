import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from '../../../core/descriptor/bundle.ts';
import { table } from '../index.ts';
import type { TableDefinition } from './definition.ts';

/** Parses a table with two fields and one more section. Returns it with the issues of that section. */
function withSection(...lines: readonly string[]): {
  readonly read: TableDefinition;
  readonly found: readonly string[];
} {
  const text = [
    '# Orders Skill',
    '## Table Purpose',
    'P.',
    '## Fields',
    '### id',
    'Key.',
    '#### PK',
    '### Customer No',
    'Who.',
  ];
  const parsed = table.parse(bundleOfText([...text, ...lines].join('\n'), nowhere));
  assert.ok(parsed.definition !== undefined);
  return {
    read: parsed.definition as TableDefinition,
    found: parsed.issues.map(({ code, line }) => `${code} ${line ?? ''}`),
  };
}

test('a relationship is written in any of its forms', () => {
  const expected = {
    line: 11,
    field: 'customer_no',
    references: { table: 'customers', field: 'no' },
    notes: [],
  };
  for (const line of [
    'Field: orders.customer_no references customers.no',
    '- **Field**: `orders.customer_no` -> `customers.no`',
    'customer_no => customers.no',
    'customer_no references customers.no.',
    '1. customer_no→customers.no',
  ]) {
    const { read, found } = withSection('## Relationships', line);
    assert.deepEqual(read.relationships, [expected], line);
    assert.deepEqual(found, []);
  }
  const split = withSection('## Relationships', '- Foreign Key: customer_no', '- Reference: customers.no');
  assert.deepEqual(split.read.relationships, [expected]);
});

test('a reference to this table is a link from the other side', () => {
  const { read } = withSection('## Relationships', 'Field: items.order_id references orders.id');
  assert.deepEqual(read.relationships, [
    { line: 11, field: 'id', referencedBy: { table: 'items', field: 'order_id' }, notes: [] },
  ]);
});

test('a second type or reference opens the next relationship', () => {
  const { read } = withSection(
    ...[
      '## Relationships',
      'Type: one-to-many with items',
      'Type: Many to One with customers',
      'id -> a.b',
      'id -> c',
    ],
  );
  assert.deepEqual(
    read.relationships.map(({ kind, with: other, references }) => [kind, other, references?.table]),
    [
      ['one-to-many', 'items', undefined],
      ['many-to-one', 'customers', 'a'],
      [undefined, undefined, 'c'],
    ],
  );
});

test('what a relationship does not know is kept as a note and reported', () => {
  const { read, found } = withSection(
    '## Relationships',
    '### Lines',
    '- Refrence: a.b',
    'Note: prose.',
    '- Type: some',
    'x -> a.b',
  );
  assert.deepEqual(read.relationships[0]?.notes, ['Refrence: a.b', 'Note: prose.', 'Type: some']);
  assert.deepEqual(found, [
    'table.relationship-unknown 12',
    'table.relationship-kind 14',
    'table.field-undefined 15',
  ]);
});

test('roles are read from lines, headings and lists', () => {
  const expected = { read: ['A', 'B'], write: ['C'], notes: [] };
  for (const lines of [
    ['Read: A, B', 'Write: C'],
    ['- **Read access**: [A, B]', '- Write roles: C'],
    ['- Read:', '  - A', '  - B', '- Write:', '  - C'],
    ['### Read', '- A', '- B', '### Write', 'Write: C'],
  ]) {
    const { read, found } = withSection('## Role Access Policy', ...lines);
    assert.deepEqual(read.roles, expected, lines.join(' | '));
    assert.deepEqual(found, []);
  }
});

test('a policy denies the access for which it names no role', () => {
  const oneSided = withSection('## Role Access Policy', 'Read: A', 'Readers must sign.');
  assert.deepEqual(oneSided.read.roles, { read: ['A'], write: [], notes: ['Readers must sign.'] });
  assert.deepEqual(oneSided.found, ['table.roles 10']);
  assert.deepEqual(withSection('## Role Access Policy').read.roles, { read: [], write: [], notes: [] });
  assert.equal(withSection().read.roles, undefined);
});

test('only one delete guard is known', () => {
  for (const line of [
    'block_if_referenced',
    '- `block_if_referenced`',
    'Guard: Block If Referenced.',
    'Prose.\nblock-if-referenced',
  ]) {
    assert.equal(withSection('## Delete Guard', line).read.deleteGuard, 'block-if-referenced', line);
  }
  for (const lines of [['never'], []]) {
    const { read, found } = withSection('## Delete Guard', ...lines);
    assert.equal(read.deleteGuard, 'unknown');
    assert.deepEqual(found, ['table.guard-unknown 10']);
  }
});

test('field lists name declared fields in any spelling', () => {
  const { read, found } = withSection(
    '## Interactive Fields',
    '- customer_no: asked first',
    '- ID',
    '- custmer-no',
    '## List Extra Fields',
  );
  assert.deepEqual(read.interactiveFields, ['Customer No', 'id']);
  assert.deepEqual(read.listExtraFields, []);
  assert.deepEqual(found, ['table.field-undefined 13']);
});

test('sections are in any spelling, and an unknown one is reported with a guess', () => {
  const { read, found } = withSection('## business_rules', 'One rule.', '## Delet Guard', 'x');
  assert.deepEqual(read.businessRules, [{ text: 'One rule.', line: 11 }]);
  assert.deepEqual(found, ['section.unknown 12']);
});
