import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import { trailOf } from './trail.ts';

function stepsIn(base: Tree, path: string): readonly string[] {
  return trailOf(path).map(({ dir, name }) => `${dir.replace(base.path, '')} → ${name}`);
}

test('a path without links is decided by its last name', () => {
  using base = tree({ 'a/b/c.md': '' });
  assert.deepEqual(stepsIn(base, base.at('a/b')), ['/a → b']);
  assert.deepEqual(stepsIn(base, base.at('a/b/c.md')), ['/a/b → c.md']);
});

test('a missing path is decided by its first missing name', () => {
  using base = tree({ 'a/file': '' });
  assert.deepEqual(stepsIn(base, base.at('a/b/c/d')), ['/a → b']);
  assert.deepEqual(stepsIn(base, base.at('a/file/c/d')), ['/a → file']);
});

test('each link on the way counts, relative, absolute and upward ones, with where it leads', () => {
  using base = tree({ 'real/skills/x': '' });
  mkdirSync(base.at('deep/er'), { recursive: true });
  symlinkSync(base.at('real'), base.at('current'));
  symlinkSync('../../current/skills', base.at('deep/er/link'));
  assert.deepEqual(stepsIn(base, base.at('deep/er/link/x')), [
    '/deep/er → link',
    ' → current',
    '/real/skills → x',
  ]);
});

test('a link that leads nowhere is followed to the name that is missing', () => {
  using base = tree({ 'a/x': '' });
  symlinkSync(base.at('b/c/d'), base.at('a/link'));
  assert.deepEqual(stepsIn(base, base.at('a/link')), ['/a → link', ' → b']);
});

test('a loop of links ends', () => {
  using base = tree();
  symlinkSync('two', base.at('one'));
  symlinkSync('one', base.at('two'));
  assert.deepEqual(new Set(stepsIn(base, base.at('one/x'))), new Set([' → one', ' → two']));
});

test('the top of the file system is decided by nothing', () => {
  assert.deepEqual(trailOf('/'), []);
});
