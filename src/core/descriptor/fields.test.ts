import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, splitList, unknownFields, type Fields } from './fields.ts';
import { parseFrontmatter } from './frontmatter.ts';
import type { Issue } from '../issue.ts';

function read(head: string): { fields: Fields; issues: Issue[] } {
  const issues: Issue[] = [];
  return { fields: fieldsOf(parseFrontmatter(`---\n${head}\n---\n`), issues), issues };
}

test('text is what was written; a list or a map is not text', () => {
  const { fields, issues } = read('a: NO\nb: ""\nc: [x]\nd: {x: y}');
  assert.deepEqual([fields.text('a'), fields.text('b'), fields.text('none')], ['NO', '', undefined]);
  assert.deepEqual(issues, []);
  assert.deepEqual([fields.text('c'), fields.text('d')], [undefined, undefined]);
  assert.deepEqual(
    issues.map(({ code, line, level }) => [code, line, level]),
    [
      ['field.type', 4, 'warning'],
      ['field.type', 5, 'warning'],
    ],
  );
});

test('a wrong shape is reported once, however often it is read', () => {
  const { fields, issues } = read('a: [x]');
  fields.text('a');
  fields.text('a');
  assert.equal(issues.length, 1);
});

test('fields are found by any spelling', () => {
  const { fields } = read('Max_Ticks: 3');
  for (const key of ['max-ticks', 'Max Ticks', 'MAX_TICKS']) {
    assert.equal(fields.wholeNumber(key), 3);
    assert.equal(fields.has(key), true);
    assert.equal(fields.raw(key), '3');
  }
});

test('flags are true/yes/on/1 and false/no/off/0 in any case', () => {
  for (const value of ['true', 'Yes', 'ON', '1', '"true"', ' yes '])
    assert.equal(read(`a: ${value}`).fields.flag('a'), true, value);
  for (const value of ['false', 'No', 'OFF', '0', "'no'"])
    assert.equal(read(`a: ${value}`).fields.flag('a'), false, value);
  for (const value of ['maybe', '""', 'y', '2', '[true]', '{a: b}']) {
    const { fields, issues } = read(`a: ${value}`);
    assert.equal(fields.flag('a'), undefined, value);
    assert.deepEqual(
      issues.map((issue) => issue.message),
      ['"a" should be true or false; it was ignored.'],
    );
  }
  assert.deepEqual([read('a: ~').fields.flag('a'), read('a: ~').issues], [undefined, []]);
});

test('lists are YAML lists or words', () => {
  assert.deepEqual(read('a: [x, " y ", ""]').fields.list('a'), ['x', 'y']);
  assert.deepEqual(read('a:\n  - x\n  - Bash(git add *)').fields.list('a'), ['x', 'Bash(git add *)']);
  assert.deepEqual(read('a: x, y z').fields.list('a'), ['x', 'y', 'z']);
  assert.deepEqual(read('a: []').fields.list('a'), []);
  assert.deepEqual(read('a: ""').fields.list('a'), []);
  assert.equal(read('a:').fields.list('a'), undefined);
  assert.equal(read('b: x').fields.list('a'), undefined);
});

test('what is not a word in a list is left out with an issue, and the list stays a list: nothing opens by accident', () => {
  const mixed = read('a:\n  - x\n  - {y: z}\n  -\n  - [q]');
  assert.deepEqual(mixed.fields.list('a'), ['x']);
  assert.equal(mixed.issues.length, 1);
  const map = read('a: {x: y}');
  assert.deepEqual(map.fields.list('a'), []);
  assert.equal(map.issues.length, 1);
});

test('maps are maps', () => {
  assert.deepEqual(read('a: {x: y}').fields.map('a'), { x: 'y' });
  const { fields, issues } = read('a: text');
  assert.equal(fields.map('a'), undefined);
  assert.equal(issues[0]?.message, '"a" should be a map; it was ignored.');
});

test('whole numbers are digits only', () => {
  assert.equal(read('a: 10').fields.wholeNumber('a'), 10);
  assert.equal(read('a: "007"').fields.wholeNumber('a'), 7);
  for (const value of ['1e3', '0x1F', '-1', '1.5', 'ten', '""', '9999999999999999', '[1]']) {
    const { fields, issues } = read(`a: ${value}`);
    assert.equal(fields.wholeNumber('a'), undefined, value);
    assert.equal(issues.length, 1);
  }
});

test('a word is one of those given, in any case', () => {
  assert.equal(read('a: FORK').fields.choice('a', ['fork', 'inline']), 'fork');
  assert.equal(read('b: x').fields.choice('a', ['fork']), undefined);
  const { fields, issues } = read('a: spoon');
  assert.equal(fields.choice('a', ['fork', 'inline']), undefined);
  assert.equal(issues[0]?.message, '"a" should be "fork" or "inline"; it was ignored.');
});

test('words are split at blanks and commas outside brackets and quotes', () => {
  const cases: Record<string, readonly string[]> = {
    'Read Write,Edit,  Grep': ['Read', 'Write', 'Edit', 'Grep'],
    'Bash(git add *), Read': ['Bash(git add *)', 'Read'],
    'Bash(git commit -m "a, b") Read': ['Bash(git commit -m "a, b")', 'Read'],
    'Bash(f(a, b), c) Read': ['Bash(f(a, b), c)', 'Read'],
    'src/{a,b}/*.ts test/**': ['src/{a,b}/*.ts', 'test/**'],
    '"two words", \'and more\' one': ['two words', 'and more', 'one'],
    "it's, don't": ["it's", "don't"],
    '"never closed x': ['"never', 'closed', 'x'],
    '[a, b]': ['a', 'b'],
    '[a] [b]': ['[a]', '[b]'],
    'Bash(git Read': ['Bash(git Read'],
    'a) b': ['a)', 'b'],
    '"" \'\' ,,': [],
    '': [],
    'a\tb\nc': ['a', 'b', 'c'],
    '数据, 😀': ['数据', '😀'],
  };
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(splitList(text), expected, text);
});

test('unknown fields are reported with the nearest known one', () => {
  const head = parseFrontmatter('---\nname: x\ndescripton: y\nzzz: 1\nWhen_To_Use: z\n---\n');
  const issues = unknownFields(head, ['name', 'description', 'when-to-use']);
  assert.deepEqual(
    issues.map(({ line, hint }) => [line, hint]),
    [
      [3, 'Did you mean "description"?'],
      [4, 'Move the field under "metadata".'],
    ],
  );
});

test('a list with nothing after its key allows nothing, and is reported once; null and ~ are absent', () => {
  for (const written of ['', ' # none yet', '\n  # - Bash', '\n\nother: x']) {
    const { fields, issues } = read(`Allowed_Skills:${written}`);
    assert.deepEqual([fields.allowList('allowed-skills'), fields.allowList('allowed-skills')], [[], []]);
    assert.deepEqual(
      issues.map(({ code, line }) => [code, line]),
      [['field.blank', 2]],
    );
    assert.equal(fields.list('allowed-skills'), undefined);
  }
  for (const written of [' null', ' ~', ' NULL # none', '\n  ~']) {
    const { fields, issues } = read(`allowed-skills:${written}`);
    assert.deepEqual([fields.allowList('allowed-skills'), issues], [undefined, []]);
  }
  assert.deepEqual(read('allowed-skills: []').fields.allowList('allowed-skills'), []);
  assert.deepEqual(read('"allowed-skills":').fields.allowList('allowed-skills'), []);
  assert.equal(read('tags: x').fields.allowList('allowed-skills'), undefined);
});

test('a list with nothing after its key allows nothing in frontmatter that needs repairs too', () => {
  const { fields } = read('description: Use when: now\nallowed-tools:');
  assert.deepEqual(fields.allowList('allowed-tools'), []);
});

test('a choice is read by its name of release 0.1 as well', () => {
  const { fields, issues } = read('a: two\nb: three');
  const choices = ['one', 'two'];
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the name of release 0.1
  assert.deepEqual([fields.word('a', choices), fields.word('b', choices)], ['two', undefined]);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['field.type'],
  );
});
