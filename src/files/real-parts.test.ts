import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { realParts } from './real-parts.ts';

/** Where a path leads; undefined when that cannot be told. */
function placeOf(path: string, workspace: string): unknown {
  const { parts, areAll } = realParts(path, workspace, (place) => place);
  assert.equal(areAll, parts.length === 1);
  return parts[0];
}

test('the place of a path is where its links lead, also of what is not there yet', () => {
  using files = tree({ 'private/key.txt': '', 'notes/a.md': '' });
  symlinkSync('../private/key.txt', files.at('notes/escape'));
  symlinkSync('..', files.at('notes/up'));
  symlinkSync('nowhere', files.at('notes/dangling'));
  const cases: readonly (readonly [string, string])[] = [
    ['notes/a.md', 'notes/a.md'],
    [files.at('notes/a.md'), 'notes/a.md'],
    ['notes/../notes//a.md', 'notes/a.md'],
    ['notes/escape', 'private/key.txt'],
    ['notes/up', '.'],
    ['.', '.'],
    ['notes/up/private/key.txt', 'private/key.txt'],
    ['notes/up/private/new/file', 'private/new/file'],
    ['notes/up/../a.md', 'notes/a.md'],
    ['notes/new/file', 'notes/new/file'],
    ['notes/dangling', 'notes/dangling'],
    ['notes/a.md/below', 'notes/a.md/below'],
  ];
  for (const [path, place] of cases) assert.equal(placeOf(path, files.path), place, path);
});

test('the place of a path is relative to the real workspace, and absolute outside of it', () => {
  using files = tree({ 'real/a': '', 'link/x': '' });
  mkdirSync(files.at('given'));
  symlinkSync('../real', files.at('given/link'));
  symlinkSync('../link', files.at('real/out'));
  const workspace = files.at('given/link');
  assert.equal(placeOf('a', workspace), 'a');
  assert.equal(placeOf(`${workspace}/a`, workspace), 'a');
  assert.equal(placeOf('new', workspace), 'new');
  assert.equal(placeOf('out/x', workspace), files.at('link/x'));
  assert.equal(placeOf('../x', workspace), files.at('given/x'));
});

test('a path that cannot be followed has no place, and never throws', () => {
  using files = tree();
  symlinkSync('loop', files.at('loop'));
  for (const path of ['loop', 'loop/a', 'nul\0', 'a'.repeat(5000)])
    assert.equal(placeOf(path, files.path), undefined, path.slice(0, 20));
  assert.equal(placeOf('a', ''), undefined);
  assert.equal(placeOf('a', files.at('gone')), undefined);
});

test('a hard link is a place of its own', () => {
  using files = tree({ 'private/key.txt': '' });
  linkSync(files.at('private/key.txt'), files.at('same'));
  assert.equal(placeOf('same', files.path), 'same');
});
