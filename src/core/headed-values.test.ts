import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfText, nowhere } from './bundle.ts';
import { valuesOf, type Values } from './headed-values.ts';
import { readHeaded } from './headed.ts';

const names = { description: [], model: ['LLM Model'], 'allowed-skills': ['Skills'] };
type Key = keyof typeof names;

function read(text: string): { values: Values<Key>; issues: () => readonly string[] } {
  const bundle = bundleOfText(text, nowhere);
  const headed = readHeaded(bundle, names, ['description']);
  const values = valuesOf(bundle, headed, names);
  return { values, issues: () => headed.issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`) };
}

test('a key is a section or a field, under any of its names', () => {
  for (const text of [
    '# T\nx\n## LLM Model\nfast',
    '---\nllm_model: fast\n---\n# T\nx',
    '---\nModel: fast\n---\nx',
  ]) {
    assert.equal(read(text).values.text('model'), 'fast', text);
  }
  assert.equal(read('# T\nx').values.text('model'), undefined);
});

test('the field wins over the section, which is reported', () => {
  const { values, issues } = read('---\nmodel: fast\ndescription: d\n---\n# T\n## Model\nslow');
  assert.deepEqual(values.given('model'), { text: 'fast', line: 2 });
  assert.equal(values.lineOf('model'), 2);
  assert.deepEqual(issues(), ['section.overridden:6']);
});

test('text below the key of a field begins on the line after it', () => {
  const { values } = read('---\ndescription: d\nmodel: |\n  fast\n  slow\n---\n');
  assert.deepEqual(values.given('model'), { text: 'fast\nslow', line: 4 });
});

test('lists are words of a field or lines of a section, each once', () => {
  assert.deepEqual(read('---\nskills: a, b a\n---\nx').values.list('allowed-skills'), ['a', 'b']);
  assert.deepEqual(read('# T\n## Skills\n- a\n- `b`\n- a\n').values.list('allowed-skills'), ['a', 'b']);
});

test('an empty list is empty, an absent one absent, and one that cannot be read allows nothing', () => {
  assert.deepEqual(read('# T\n## Allowed Skills\n').values.list('allowed-skills'), []);
  assert.deepEqual(read('---\nskills: []\n---\nx').values.list('allowed-skills'), []);
  assert.deepEqual(read('---\nskills: {a: b}\n---\nx').values.list('allowed-skills'), []);
  assert.equal(read('# T\nx').values.list('allowed-skills'), undefined);
});

test('a list field without a value is absent, and said so', () => {
  const { values, issues } = read('---\ndescription: d\nallowed-skills:\n---\n');
  assert.equal(values.list('allowed-skills'), undefined);
  assert.deepEqual(issues(), ['field.blank:3']);
});

test('fields nobody knows are reported', () => {
  assert.deepEqual(read('---\ndescription: d\nmodle: x\n---\n').issues(), ['field.unknown:3']);
});
