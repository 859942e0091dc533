import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { table } from './index.ts';

const textOf = (name: string): string =>
  readFileSync(new URL(`fixtures/${name}/tskill.md`, import.meta.url), 'utf8');

familyContract(table, {
  valid: { equipment: textOf('equipment'), employees: textOf('employees'), messy: textOf('messy') },
});

function parse(text: string): Parsed<TableDefinition> {
  return table.parse(bundleOfText(text, { ...nowhere, stem: 'folder' })) as Parsed<TableDefinition>;
}

/** Returns the codes and lines of the issues, in order of lines. */
function issueLines(parsed: Parsed<TableDefinition>): readonly string[] {
  const ordered = parsed.issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return ordered.map(({ level, code, line }) => `${level} ${code} ${line ?? ''}`);
}

test('a complete descriptor is read without a finding', () => {
  const { name, card, definition, issues } = parse(textOf('equipment'));
  assert.deepEqual(issues, []);
  assert.equal(name, 'Equipment');
  assert.equal(card.description, 'Machines and tools of the workshop, each with its area and condition.');
  const { fields, relationships, ...rest } = definition!;
  assert.deepEqual(rest, {
    table: 'Equipment',
    purpose:
      'Machines and tools of the workshop, each with its area and condition.\n\n' +
      'Look here for anything that is borrowed, serviced or counted.',
    instructions: '"Broken" and "faulty" mean the same condition.',
    businessRules: [
      { text: 'An item in repair cannot\nbe lent.', line: 139 },
      { text: 'The price never changes after the purchase.', line: 141 },
      { text: 'Old items are kept for ten years.', line: 143 },
    ],
    roles: { read: ['Technician', 'Manager'], write: ['Manager'], notes: ['Guests see nothing.'] },
    deleteGuard: 'block-if-referenced',
    interactiveFields: ['name', 'status', 'area_id'],
    listExtraFields: ['price', 'age'],
    help: 'Ask for a list, or say what to add.',
  });
  assert.deepEqual(relationships, [
    {
      line: 127,
      kind: 'many-to-one',
      with: 'areas',
      field: 'area_id',
      references: { table: 'areas', field: 'area_id' },
      cascade: 'none',
      notes: [],
    },
    {
      line: 131,
      title: 'Loans',
      referencedBy: { table: 'loans', field: 'equipment_id' },
      notes: ['Every loan belongs to one item.'],
    },
  ]);
  assert.equal(fields.length, 7);
});

test('each attribute of a field is read, and prose keeps its line', () => {
  const fields = parse(textOf('equipment')).definition!.fields.map(({ line: _line, ...rest }) => rest);
  assert.deepEqual(fields, [
    {
      name: 'equipment_id',
      description: 'Identifies the item, as printed on its tag.',
      type: 'string',
      declaredType: 'varchar(20)',
      primaryKey: { kind: 'given' },
      maxLength: 20,
      pattern: { source: '^[A-Z]-\\d+$', flags: '' },
    },
    {
      name: 'name',
      description: 'What people call it.',
      type: 'string',
      label: 'Equipment name',
      shortLabel: 'Name',
      aliases: ['title', 'tool name'],
      required: true,
      maxLength: 80,
    },
    {
      name: 'status',
      description: 'The condition of the item.',
      type: 'string',
      grouping: 'Condition',
      values: ['ok', 'faulty', 'in repair'],
      default: 'ok',
    },
    {
      name: 'area_id',
      description: 'The area it stands in.',
      type: 'integer',
      declaredType: 'integer',
      required: true,
      requiredWhen: { text: 'Only while the item is not in repair.', line: 81 },
      index: true,
    },
    {
      name: 'price',
      description: 'What it cost when it was bought.',
      type: 'decimal',
      declaredType: 'decimal(10,2)',
      minimum: 0,
      presenter: { text: 'With a currency sign and two digits.', line: 95 },
      resolver: { text: 'Drops the currency sign.', line: 99 },
    },
    {
      name: 'serial',
      description: 'The serial number of the maker.',
      type: 'string',
      unique: true,
      index: true,
      validator: { text: 'Holds no blanks, and the last digit is the check digit of the others.', line: 111 },
    },
    {
      name: 'age',
      description: 'Years since it was bought.',
      type: 'integer',
      declaredType: 'integer',
      derivator: { text: 'Today minus the date of purchase, in whole years.', line: 123 },
    },
  ]);
});

test('the old dialect is read with an info finding', () => {
  const parsed = parse(textOf('employees'));
  assert.deepEqual(issueLines(parsed), ['info table.old-dialect 7']);
  assert.deepEqual(parsed.definition?.fields, [
    {
      name: 'employee_id',
      line: 7,
      description: 'Identifies the person.',
      type: 'string',
      primaryKey: { kind: 'uuid' },
    },
    {
      name: 'email',
      line: 15,
      description: 'Where to write to.',
      type: 'email',
      declaredType: 'email',
      unique: true,
    },
  ]);
  assert.equal(parsed.definition?.deleteGuard, 'block-if-referenced');
});

test('every fault of a messy descriptor is named by its line', () => {
  const parsed = parse(textOf('messy'));
  assert.equal(parsed.name, 'stock-items');
  assert.equal(parsed.card.description, 'Goods on the shelves.');
  assert.deepEqual(parsed.card.tags, ['warehouse']);
  assert.deepEqual(issueLines(parsed), [
    'warning description.derived 8',
    'warning section.unknown 12',
    'warning table.attribute-lost 16',
    'warning table.field-undescribed 18',
    'warning table.attribute-unknown 24',
    'warning table.type-unknown 28',
    'warning table.number 44',
    'warning table.attribute-empty 46',
    'warning table.pattern 50',
    'warning table.field-repeated 52',
    'info table.one-way 58',
    'warning table.relationship-kind 76',
    'warning table.relationship-unknown 77',
    'warning table.field-undefined 78',
    'warning table.roles 80',
    'warning table.guard-unknown 87',
    'warning table.field-undefined 94',
  ]);
  const hints = new Map(parsed.issues.map((issue) => [issue.line, issue.hint]));
  assert.match(hints.get(24) ?? '', /"required"/);
  assert.match(hints.get(28) ?? '', /"string"/);
});

test('a title without the word Skill is a name too; without a title the folder names the table', () => {
  assert.equal(parse('# Tools\n## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n').name, 'Tools');
  assert.equal(parse('# My skill\n## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n').name, 'My');
  assert.equal(parse('# Skill\n## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n').name, 'Skill');
  const untitled = parse('## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n');
  assert.equal(untitled.name, '');
  assert.equal(untitled.definition?.table, 'folder');
  assert.deepEqual(issueLines(untitled), ['warning table.name 1']);
});

test('a table without fields is unusable', () => {
  for (const text of [
    '# T Skill\n## Table Purpose\nP.\n',
    '# T Skill\n## Table Purpose\nP.\n## Fields\n- a\n- b\n',
  ]) {
    const parsed = parse(text);
    assert.equal(parsed.definition, undefined);
    assert.ok(parsed.issues.some((issue) => issue.level === 'error' && issue.code === 'table.no-fields'));
  }
});

test('names of the database itself are refused, and others stand for columns and tables where they differ', () => {
  const body =
    '## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n#### Column: the "A"\n### b\nB.\n#### Column\n"x\\ny"\n';
  const { definition } = parse(`# T Skill\n${body}## Database Table\n\`T-1\`\n`);
  assert.equal(definition?.databaseTable, 'T-1');
  assert.deepEqual(
    definition.fields.map(({ column }) => column),
    ['the "A"', 'x\ny'],
  );
  for (const [text, line] of [
    [`# Skilled Tables Skill\n${body}`, 1],
    [`# T Skill\n${body}## Database Table\nsqlite_master\n`, 13],
    [`# T Skill\n${body}## Database Table\nSQLITE_SEQUENCE\n`, 13],
    [`# T Skill\n${body}## Database Table\npublic.skilled_writes\n`, 13],
    [`# T Skill\n${body}## Database Table\nskilled.entries\n`, 13],
    [`# T Skill\n${body}## Database Table\nPG_CATALOG.pg_authid\n`, 13],
    [`# information_schema.tables Skill\n${body}`, 1],
  ] as const) {
    const parsed = parse(text);
    assert.equal(parsed.definition, undefined);
    assert.deepEqual(issueLines(parsed), [`error table.name-reserved ${line}`]);
  }
});

test('fields whose values JSON would lose are refused', () => {
  const parsed = parse(
    '# T Skill\n## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n### constructor\nC.\n### prototype\nP.\n',
  );
  assert.deepEqual(issueLines(parsed), ['warning table.name-reserved 8', 'warning table.name-reserved 10']);
});

test('without a purpose the description is made up; without a key there is a warning', () => {
  assert.deepEqual(issueLines(parse('# T Skill\n## Fields\n### a\nA.\n')), [
    'warning description.derived 1',
    'warning table.no-key 2',
  ]);
});

test('a file of faults is reported by its first ones and all errors', () => {
  const many = parse(`# T Skill\n## Table Purpose\nP.\n## Fields\n${'### \n'.repeat(500)}`);
  assert.equal(many.issues.length, 102);
  assert.ok(many.issues.some((issue) => issue.code === 'table.no-fields'));
  assert.match(many.issues.at(-1)?.message ?? '', /^This file has 400 more issues/);
});

test('an unknown field of the head is reported', () => {
  const parsed = parse(
    '---\nname: t\ndescripton: D.\n---\n## Table Purpose\nP.\n## Fields\n### a\nA.\n#### PK\n',
  );
  assert.deepEqual(issueLines(parsed), ['warning field.unknown 3']);
});

test('headings inside fences are not fields', () => {
  const parsed = parse('# T Skill\n## Table Purpose\nP.\n## Fields\n### a\n```\n### b\n```\n#### PK\n');
  assert.deepEqual(
    parsed.definition?.fields.map(({ name }) => name),
    ['a'],
  );
});
