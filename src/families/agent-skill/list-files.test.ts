import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { listFiles } from './list-files.ts';

describe('the files of a bundle', () => {
  test('are listed in order, without the descriptor, hidden files and what was installed', () => {
    using folder = tree({
      'SKILL.md': '',
      'scripts/make.sh': '',
      'references/style.md': '',
      'references/SKILL.md': '',
      '.hidden': '',
      '.git/config': '',
      'node_modules/x/index.js': '',
      'a\nb': '',
      'LICENSE.txt': '',
    });
    assert.deepEqual(listFiles(folder.path, 'SKILL.md'), {
      files: ['LICENSE.txt', 'references/SKILL.md', 'references/style.md', 'scripts/make.sh'],
      hasMore: false,
    });
  });

  test('are not what links lead out to', () => {
    using folder = tree({
      'bundle/SKILL.md': '',
      'bundle/own.md': '',
      'secret.txt': 'x',
      'outside/a.md': '',
    });
    symlinkSync(folder.at('secret.txt'), folder.at('bundle/linked.txt'));
    symlinkSync(folder.at('outside'), folder.at('bundle/references'));
    symlinkSync('/etc', folder.at('bundle/etc'));
    symlinkSync('own.md', folder.at('bundle/same.md'));
    assert.deepEqual(listFiles(folder.at('bundle'), 'SKILL.md').files, ['own.md', 'same.md']);
  });

  test('are listed behind a link to the bundle itself', () => {
    using folder = tree({ 'real/SKILL.md': '', 'real/a.md': '' });
    symlinkSync('real', folder.at('link'));
    assert.deepEqual(listFiles(folder.at('link'), 'SKILL.md').files, ['a.md']);
  });

  test('are fifty at most', () => {
    using folder = tree(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, ''])));
    const { files, hasMore } = listFiles(folder.path, 'SKILL.md');
    assert.equal(files.length, 50);
    assert.equal(hasMore, true);
  });

  test('have two thousand characters at most', () => {
    const name = (index: number): string => `${index}-${'x'.repeat(100)}`;
    using folder = tree(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [name(index), ''])));
    const { files, hasMore } = listFiles(folder.path, 'SKILL.md');
    assert.ok(files.join('\n').length <= 2_000 && files.length > 15);
    assert.equal(hasMore, true);
  });

  test('are none when the folder went away', () => {
    assert.deepEqual(listFiles('/nowhere/at/all', 'SKILL.md'), { files: [], hasMore: false });
  });
});
