import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from './issue.ts';
import { limitIn } from './limit-in.ts';

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
