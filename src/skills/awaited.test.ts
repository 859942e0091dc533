import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { awaitedNames } from './awaited.ts';
import { folderWatches } from './folder-watches.ts';

test('the names that decide where a path leads are awaited, each in its folder, which is watched', () => {
  using base = tree({ 'real/x': '' });
  symlinkSync('real', base.at('link'));
  const watches = folderWatches(() => {});
  const awaited = awaitedNames(watches.ensure);
  awaited.follow(base.at('link/skills'));
  assert.deepEqual(
    [awaited.isAwaited(base.path, 'link'), awaited.isAwaited(base.at('real'), 'skills'), watches.size],
    [true, true, 2],
  );
  assert.deepEqual(
    [awaited.isAwaited(base.path, 'skills'), awaited.isIn(base.at('real')), awaited.isIn(base.at('real/x'))],
    [false, true, false],
  );
  awaited.clear();
  assert.equal(awaited.isIn(base.path), false);
  watches.close();
});

test('a link that changes before its folder is watched is not missed', () => {
  using base = tree({ 'one/x': '', 'two/x': '' });
  symlinkSync('one', base.at('link'));
  const watches = folderWatches(
    () => {},
    (dir) => {
      if (dir === base.path) {
        symlinkSync('two', base.at('link~'));
        renameSync(base.at('link~'), base.at('link'));
      }
      return { close: () => {} };
    },
  );
  const awaited = awaitedNames(watches.ensure);
  awaited.follow(base.at('link/skills'));
  assert.ok(awaited.isAwaited(base.at('two'), 'skills'));
});
