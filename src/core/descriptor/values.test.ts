import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '../issue.ts';
import { bundleOfText, nowhere } from './bundle.ts';
import { readHeaded } from './read-descriptor.ts';
import { limitIn, scriptIn, valuesOf, type Values } from './values.ts';

const names = { description: [], model: ['LLM Model'], 'allowed-skills': ['Skills'] };
type Key = keyof typeof names;

function readValues(text: string): { values: Values<Key>; issues: () => readonly string[] } {
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
    assert.equal(readValues(text).values.text('model'), 'fast', text);
  }
  assert.equal(readValues('# T\nx').values.text('model'), undefined);
});

test('the field wins over the section, which is reported', () => {
  const { values, issues } = readValues('---\nmodel: fast\ndescription: d\n---\n# T\n## Model\nslow');
  assert.deepEqual(values.given('model'), { text: 'fast', line: 2 });
  assert.equal(values.lineOf('model'), 2);
  assert.deepEqual(issues(), ['section.overridden:6']);
});

test('text below the key of a field begins on the line after it', () => {
  const { values } = readValues('---\ndescription: d\nmodel: |\n  fast\n  slow\n---\n');
  assert.deepEqual(values.given('model'), { text: 'fast\nslow', line: 4 });
});

test('lists are words of a field or lines of a section, each once', () => {
  assert.deepEqual(readValues('---\nskills: a, b a\n---\nx').values.list('allowed-skills'), ['a', 'b']);
  assert.deepEqual(readValues('# T\n## Skills\n- a\n- `b`\n- a\n').values.list('allowed-skills'), ['a', 'b']);
});

test('an empty list is empty, an absent one absent, and one that cannot be read allows nothing', () => {
  assert.deepEqual(readValues('# T\n## Allowed Skills\n').values.list('allowed-skills'), []);
  assert.deepEqual(readValues('---\nskills: []\n---\nx').values.list('allowed-skills'), []);
  assert.deepEqual(readValues('---\nskills: {a: b}\n---\nx').values.list('allowed-skills'), []);
  assert.equal(readValues('# T\nx').values.list('allowed-skills'), undefined);
});

test('a list with nothing after its key or heading allows nothing, and is reported', () => {
  const inField = readValues('---\ndescription: d\nallowed-skills:\n---\n');
  assert.deepEqual(inField.values.list('allowed-skills'), []);
  assert.deepEqual(inField.issues(), ['field.blank:3']);
  const before = readValues('---\ndescription: d\nskills:\n---\n# T\n## Skills\n- a\n');
  assert.deepEqual(before.values.list('allowed-skills'), []);
  const inSection = readValues('# T\n## Allowed Skills\n\n');
  assert.deepEqual(inSection.values.list('allowed-skills'), []);
  assert.deepEqual(inSection.issues().slice(-1), ['field.blank:2']);
  for (const written of ['null', '~'])
    assert.equal(readValues(`---\nskills: ${written}\n---\nx`).values.list('allowed-skills'), undefined);
});

test('unknown fields are reported', () => {
  assert.deepEqual(readValues('---\ndescription: d\nmodle: x\n---\n').issues(), ['field.unknown:3']);
});

const bounds = { key: 'timeout', unit: 'seconds', least: 1, most: 300 };
const read = (text: string): readonly [number | undefined, readonly string[]] => {
  const issues: Issue[] = [];
  const limit = limitIn({ text, line: 7 }, bounds, issues);
  return [limit, issues.map(({ level, code, line }) => `${level} ${code}:${line}`)];
};

test('a limit is a whole number within its bounds', () => {
  assert.deepEqual(read('1'), [1, []]);
  assert.deepEqual(read(' 300 '), [300, []]);
  assert.equal(limitIn(undefined, bounds, []), undefined);
});

test('anything else is a finding and no limit', () => {
  for (const text of ['0', '301', '-5', '1.5', '10s', 'ten', '', '1e2', '99999999999999999999', 'Infinity'])
    assert.deepEqual(read(text), [undefined, ['warning field.range:7']], text);
});

test('a script is the text, or the first fence in it, with the line it begins on', () => {
  const issues: Issue[] = [];
  assert.deepEqual(scriptIn({ text: '@a run\n@b stop', line: 5 }, issues), {
    text: '@a run\n@b stop',
    line: 5,
  });
  assert.deepEqual(scriptIn({ text: 'plain text', line: 5 }, issues), { text: 'plain text', line: 5 });
  assert.deepEqual(scriptIn({ text: 'Intro\n\n```\n@a run\n\n```\n', line: 5 }, issues), {
    text: '@a run',
    line: 8,
  });
  const commented = '# First.\n\n@a write --begin-T--\n```\n@b run\n```\n--end-T--';
  assert.equal(scriptIn({ text: commented, line: 5 }, issues)?.text, commented);
  assert.equal(scriptIn(undefined, issues), undefined);
  assert.deepEqual(issues, []);
});

test('an empty script counts as absent, with a finding', () => {
  for (const text of ['', '  ', '```\n```']) {
    const issues: Issue[] = [];
    assert.equal(scriptIn({ text, line: 3 }, issues), undefined);
    assert.deepEqual(
      issues.map((issue) => `${issue.code}:${issue.line ?? '-'}`),
      ['script.empty:3'],
    );
  }
});
