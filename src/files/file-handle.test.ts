import assert from 'node:assert/strict';
import { readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { childBehind, holdFile, holdFolder } from './file-handle.ts';

test('what was opened is checked, not the path that it was opened by', () => {
  using outside = tree({ 'deep/a.txt': 'SECRET' });
  using files = tree({ 'in/deep/a.txt': 'inside' });
  renameSync(files.at('in'), files.at('aside'));
  symlinkSync(outside.path, files.at('in')); // as if between the check of the path and its use
  const refused = { code: 'policy.denied' };
  assert.throws(() => holdFile([files.path], files.at('in/deep/a.txt'), 'in/deep/a.txt'), refused);
  assert.throws(() => holdFolder([files.path], files.at('in/deep'), 'in/deep'), refused);
  assert.throws(() => holdFolder([files.path], files.at('in'), 'in'));
});

test('an open folder stays the same folder when another one takes its place', () => {
  using outside = tree();
  using files = tree({ 'in/a.txt': '' });
  using folder = holdFolder([files.path], files.at('in'), 'in');
  renameSync(files.at('in'), files.at('aside'));
  symlinkSync(outside.path, files.at('in'));
  writeFileSync(childBehind(folder, 'b.txt'), '');
  assert.deepEqual(readdirSync(files.at('aside')).sort(), ['a.txt', 'b.txt']);
  assert.deepEqual(readdirSync(outside.path), []);
});
