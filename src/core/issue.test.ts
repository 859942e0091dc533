import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLevel, locate, type Issue } from './issue.ts';

const issue: Issue = { level: 'warning', code: 'a.b', message: 'm' };

test('the level of a finding can be changed, the finding not', () => {
  assert.deepEqual(atLevel(issue, 'error'), { ...issue, level: 'error' });
  assert.equal(atLevel(issue, 'warning'), issue);
  assert.equal(issue.level, 'warning');
});

test('a file is filled in where it is missing', () => {
  const placed = { ...issue, file: '/a' };
  assert.deepEqual(locate([issue, placed], '/b'), [{ ...issue, file: '/b' }, placed]);
  const all = [placed];
  assert.equal(locate(all, '/b'), all);
});
