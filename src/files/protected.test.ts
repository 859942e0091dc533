import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { findProtected, protectedPaths, protectionOf } from './protected.ts';

describe('a protected path', () => {
  for (const { path } of protectedPaths)
    test(`${path}: in any folder, with anything in it, in every spelling`, () => {
      const names = path.split('/');
      const last = names.at(-1) ?? '';
      const spelt = (name: string): string[] => ['a', ...names.slice(0, -1), name, 'b'];
      assert.equal(findProtected(names)?.path, path);
      for (const name of [
        last,
        last.toUpperCase(),
        `${last}. `,
        `${last}::$DATA`,
        `${last[0]}\u200d${last.slice(1)}`,
      ])
        assert.equal(findProtected(spelt(name))?.path, path, name);
    });

  test('.env and its variants are, templates are not', () => {
    for (const name of [
      '.env',
      '.env.local',
      '.env.production',
      '.ENV',
      '.envrc',
      '.env_test',
      'ENV~1',
      '.env-cmdrc',
    ])
      assert.equal(findProtected(['sub', name])?.path, '.env*', name);
    for (const name of [
      '.env.example',
      '.env.sample',
      '.env.template',
      '.env.production.example',
      '.environment',
    ])
      assert.equal(findProtected(['sub', name]), undefined, name);
  });

  test('is none of the files of everyday work', () => {
    const everyday = [
      '.gitignore',
      '.gitattributes',
      '.gitkeep',
      '.github/workflows/ci.yml',
      '.editorconfig',
    ];
    const more = [
      '.eslintrc',
      '.prettierrc',
      'src/git',
      'fish',
      'config/fish',
      '.config/x',
      'README.md',
      'package.json',
    ];
    for (const path of [...everyday, ...more]) assert.equal(findProtected(path.split('/')), undefined, path);
  });

  test('below node_modules only a repository and the folder of this program are', () => {
    for (const name of ['.npmrc', '.vscode', '.env', '.husky'])
      assert.equal(findProtected(['node_modules', 'x', name]), undefined, name);
    for (const name of ['.git', '.skilled'])
      assert.equal(findProtected(['node_modules', 'x', name])?.path, name);
  });

  test('is found where a link leads, and where it only would be', () => {
    using files = tree({ '.vscode/tasks.json': '{}', 'a/file': '' });
    symlinkSync('.vscode', files.at('innocent'));
    for (const path of [
      'innocent/tasks.json',
      'innocent/new',
      'new/.env',
      'a/../.vscode/x',
      files.at('.npmrc'),
    ])
      assert.match(protectionOf(path, files.path)?.reason ?? '', /is protected/, path);
    for (const path of ['a/file', 'new/file', '../.env', 'a/file/x'])
      assert.equal(protectionOf(path, files.path), undefined, path);
  });

  test('is opened by a rule that names it, and never by one that means everything', () => {
    const vscode = protectionOf('.vscode/tasks.json', '/work');
    assert.deepEqual(
      ['.vscode/**', '/.vscode/tasks.json', '**/.vscode', '**', '*', '.*', '/src/**'].map((spec) =>
        vscode?.isNamedBy(spec),
      ),
      [true, true, true, false, false, false, false],
    );
    assert.equal(protectionOf('.env.local', '/work')?.isNamedBy('.env*'), true);
    for (const path of ['.git/config', '.skilled/settings.json'])
      assert.equal(protectionOf(path, '/work')?.isNamedBy(path), false);
  });
});
