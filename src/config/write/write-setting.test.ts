import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { FileLayer } from '../paths.ts';
import { removeSetting, settingsTarget, writeSetting } from './write-setting.ts';

describe('writing a setting', () => {
  test('makes the folder, with a list that keeps the local settings out of repositories', () => {
    using files = tree({ x: '' });
    writeSetting({ layer: 'local', file: files.at('.skilled/settings.local.json') }, ['limits', 'depth'], 3);
    assert.equal(
      readFileSync(files.at('.skilled/settings.local.json'), 'utf8'),
      '{\n  "limits": {\n    "depth": 3\n  }\n}\n',
    );
    assert.match(readFileSync(files.at('.skilled/.gitignore'), 'utf8'), /^settings\.local\.json$/m);
  });

  test('leaves a list that is there as it is', () => {
    using files = tree({ '.skilled/.gitignore': 'mine\n' });
    writeSetting({ layer: 'project', file: files.at('.skilled/settings.json') }, ['plugins'], ['a']);
    assert.equal(readFileSync(files.at('.skilled/.gitignore'), 'utf8'), 'mine\n');
  });

  test('of a project follows no link out of it', () => {
    using files = tree({ 'other.json': '{}', 'p/.skilled/own.json': '{}', 'q/x': '', 'outside/x': '' });
    symlinkSync('../../other.json', files.at('p/.skilled/settings.json'));
    symlinkSync('own.json', files.at('p/.skilled/settings.local.json'));
    symlinkSync('../outside', files.at('q/.skilled'));
    for (const project of ['p', 'q']) {
      const settingsFile = { layer: 'project', file: files.at(`${project}/.skilled/settings.json`) } as const;
      assert.throws(() => writeSetting(settingsFile, ['offline'], true), { code: 'usage.bad-settings' });
    }
    writeSetting({ layer: 'local', file: files.at('p/.skilled/settings.local.json') }, ['offline'], true);
    assert.equal(readFileSync(files.at('other.json'), 'utf8'), '{}');
    assert.match(readFileSync(files.at('p/.skilled/own.json'), 'utf8'), /offline/);
    assert.deepEqual(readdirSync(files.at('outside')), ['x']);
  });

  test('keeps comments, mode and links, and leaves nothing else', () => {
    using files = tree({
      'dotfiles/skilled.json': '{\n  // mine\n  "offline": true,\n}\n',
      '.skilled/x': '',
    });
    chmodSync(files.at('dotfiles/skilled.json'), 0o600);
    symlinkSync('../dotfiles/skilled.json', files.at('.skilled/settings.json'));
    const settingsFile = { layer: 'user', file: files.at('.skilled/settings.json') } as const;
    writeSetting(settingsFile, ['retentionDays'], 7);
    assert.ok(lstatSync(settingsFile.file).isSymbolicLink());
    assert.equal(
      readFileSync(settingsFile.file, 'utf8'),
      '{\n  // mine\n  "offline": true,\n  "retentionDays": 7,\n}\n',
    );
    assert.equal(statSync(settingsFile.file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(files.at('dotfiles')), ['skilled.json']);
    assert.equal(removeSetting(settingsFile, ['retentionDays']), true);
    assert.equal(removeSetting(settingsFile, ['retentionDays']), false);
    assert.equal(readFileSync(settingsFile.file, 'utf8'), '{\n  // mine\n  "offline": true,\n}\n');
  });

  test('what is broken stays as it is', () => {
    using files = tree({ '.skilled/settings.json': '{ broken' });
    const settingsFile = { layer: 'user', file: files.at('.skilled/settings.json') } as const;
    assert.throws(() => writeSetting(settingsFile, ['offline'], true), { code: 'usage.bad-settings' });
    assert.equal(readFileSync(settingsFile.file, 'utf8'), '{ broken');
  });

  test('nothing is made for a value that is not there', () => {
    using files = tree({ x: '' });
    const settingsFile = { layer: 'project', file: files.at('.skilled/settings.json') } as const;
    assert.equal(removeSetting(settingsFile, ['offline']), false);
    assert.deepEqual(readdirSync(files.path), ['x']);
  });
});

describe('the file that a setting goes to', () => {
  function target(files: Tree, startDir: string, layer?: FileLayer): string {
    const sources = {
      startDir: files.at(startDir),
      userFolder: files.at('home/.skilled'),
      home: files.at('home'),
    };
    return settingsTarget(sources, layer).file.slice(files.path.length + 1);
  }

  test('the nearest settings, else the nearest .skilled, else the repository, else the user', () => {
    using files = tree({
      'home/a/.git/HEAD': '',
      'home/a/.skilled/settings.json': '{}',
      'home/a/b/.skilled/skilled.db': '',
      'home/c/.git/HEAD': '',
      'home/c/.skilled/skilled.db': '',
      'home/c/d/x': '',
      'home/e/.git/HEAD': '',
      'home/e/f/x': '',
      'home/g/x': '',
    });
    assert.equal(target(files, 'home/a/b'), 'home/a/.skilled/settings.json');
    assert.equal(target(files, 'home/c/d'), 'home/c/.skilled/settings.json');
    assert.equal(target(files, 'home/e/f'), 'home/e/.skilled/settings.json');
    assert.equal(target(files, 'home/g'), 'home/.skilled/settings.json');
    assert.equal(target(files, 'home/g', 'project'), 'home/g/.skilled/settings.json');
    assert.equal(target(files, 'home/a/b', 'local'), 'home/a/.skilled/settings.local.json');
    assert.equal(target(files, 'home/a/b', 'user'), 'home/.skilled/settings.json');
    assert.equal(target(files, 'home'), 'home/.skilled/settings.json');
    assert.throws(() => target(files, 'home', 'project'), { code: 'usage.bad-input' });
  });
});
