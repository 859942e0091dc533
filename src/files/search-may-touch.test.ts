import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { searchMayTouch } from './search-may-touch.ts';

test('a search of a folder may touch all below it, one of a file only that file', () => {
  using files = tree({ 'src/a.ts': '', 'src/.env': '' });
  const mayTouch = (spec: string, path: string): boolean => searchMayTouch(spec, path, files.path);
  assert.equal(mayTouch('.env', 'src'), true);
  assert.equal(mayTouch('.env', 'src/.env'), true);
  assert.equal(mayTouch('.env', 'src/a.ts'), false);
  assert.equal(mayTouch('.env', files.at('src/a.ts')), false);
  assert.equal(mayTouch('src/**', 'src/a.ts'), true);
});

test('what cannot be looked at counts as a folder', () => {
  using files = tree();
  symlinkSync('loop', files.at('loop'));
  for (const path of ['missing', 'loop', 'loop/a', 'nul\0'])
    assert.equal(searchMayTouch('.env', path, files.path), true, path);
});
