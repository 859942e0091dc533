import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlDocument } from './yaml-document.ts';

test('a document of any shape is data; what is plain is typed, what is quoted is text', () => {
  const read = parseYamlDocument(
    'a: [1, -2.5, 1e3, true, False, null, ~, "1", \'true\', 37-622, yes]\nb: |\n  two\n  lines\nc:\n',
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value, {
    a: [1, -2.5, 1000, true, false, null, null, '1', 'true', '37-622', 'yes'],
    b: 'two\nlines\n',
    c: null,
  });
  for (const [text, value] of [
    ['', null],
    ['- 1\n- x', [1, 'x']],
    ['plain', 'plain'],
  ] as const) {
    const other = parseYamlDocument(text);
    assert.deepEqual(other.ok && other.value, value, text);
  }
});

test('every part has its line; one that is not there has that of what is around it', () => {
  const read = parseYamlDocument('# first\n- name: a\n  deep:\n    list:\n      - x\n      - y: 1\n- b\n');
  assert.ok(read.ok);
  const lines = [
    [[], 2],
    [[0], 2],
    [[0, 'deep'], 3],
    [[0, 'deep', 'list', 1, 'y'], 6],
    [[0, 'deep', 'nothing'], 3],
    [[1], 7],
  ] as const;
  for (const [path, line] of lines) assert.equal(read.lineOf(path), line, path.join('.'));
});

test('what is not plain data is refused, with its line', () => {
  const refused = [
    ['a: 1\nb: [1', 2],
    ['a: 1\na: 2', 2],
    ['x: 1\na: &anchor 1', 2],
    ['a: !!js/function x', 1],
    ['a: 1\n__proto__: 2', 2],
    ['a: 1\n---\nb: 2', 3],
    ['? [a]\n: 1', 1],
    ['['.repeat(1000), 1],
  ] as const;
  for (const [text, line] of refused) {
    const read = parseYamlDocument(text);
    assert.ok(!read.ok, text);
    assert.equal(read.line, line, text);
  }
});
