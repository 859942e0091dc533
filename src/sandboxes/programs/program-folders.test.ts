import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createProgramHome } from '../../../test/support/home-programs.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { createFolderReader } from './folder-reader.ts';
import { searchPrograms, type ProgramFolders } from './program-search.ts';

function search(
  home: Tree,
  folders: readonly string[],
  host: Readonly<Record<string, string>> = {},
): ProgramFolders {
  const path = folders.map((folder) => home.at(folder)).join(':');
  return searchPrograms({ path, home: home.path, ownHome: '/root', host }, createFolderReader());
}

const shownIn = (home: Tree, folders: readonly string[], host = {}): readonly string[] =>
  search(home, folders, host).shown.map((path) => path.slice(home.path.length + 1));

describe('the folders of programs', () => {
  test('are never the home folder, a folder around it, or one with credentials', () => {
    using home = createProgramHome();
    assert.deepEqual(shownIn(home, ['', '..', '.aws', '.config', '.ssh', 'documents', '.local/share']), []);
    assert.deepEqual(shownIn(home, ['.cargo']), ['.cargo/bin', '.rustup/settings.toml']);
  });

  test('are not those of a project', () => {
    using home = tree({
      'work/.git/HEAD': '',
      'work/bin/a': '',
      'work/node_modules/.bin/b': '',
      'loose/node_modules/x/bin/c': '',
    });
    assert.deepEqual(shownIn(home, ['work/bin', 'work/node_modules/.bin', 'loose/node_modules/x/bin']), []);
  });

  test('are not extended by links in folders that a skill may change', () => {
    using home = tree({ 'work/bin/a': '', 'other/bin/b': '', 'other/secret': '' });
    chmodSync(home.at('other/bin/b'), 0o755);
    symlinkSync(home.at('other/bin/b'), home.at('work/bin/planted'));
    assert.deepEqual(shownIn(home, ['work/bin']), ['work/bin']);
  });

  test('contain what a virtual environment needs, with the Python that it links to', () => {
    using home = tree({
      'envs/x/pyvenv.cfg': '',
      'envs/x/pip.conf': '',
      'envs/x/lib/a.py': '',
      '.local/share/uv/python/cpython-3.12/bin/python3.12': '',
      '.local/share/uv/credentials/x': '',
    });
    mkdirSync(home.at('envs/x/bin'));
    symlinkSync(home.at('.local/share/uv/python/cpython-3.12/bin/python3.12'), home.at('envs/x/bin/python'));
    assert.deepEqual(shownIn(home, ['envs/x/bin']), [
      ...['envs/x/bin', 'envs/x/lib', 'envs/x/pyvenv.cfg', '.local/share/uv/python'],
    ]);
  });

  test('follow a variable of the host, but only to the listed parts', () => {
    using home = tree({ 'own/shims/a': '', 'own/versions/1/bin/a': '', 'own/letter.txt': '' });
    const host = { PYENV_ROOT: home.at('own'), JAVA_HOME: '/usr/lib', GOROOT: home.at('elsewhere') };
    assert.deepEqual(shownIn(home, ['own/shims'], host), ['own/shims', 'own/versions']);
    const { environment } = search(home, ['own/shims'], host);
    assert.deepEqual(environment, { PYENV_ROOT: home.at('own'), JAVA_HOME: '/usr/lib' });
  });

  test('do not follow a variable to the home folder', () => {
    using home = tree({ 'bin/a': '', 'versions/x': '' });
    assert.deepEqual(shownIn(home, ['bin'], { PYENV_ROOT: home.path }), ['bin']);
  });

  test('are searched again after a change', () => {
    using home = createProgramHome();
    const reader = createFolderReader();
    const path = home.at('.pyenv/shims');
    searchPrograms({ path, home: home.path, ownHome: '/root', host: {} }, reader);
    home.write('.pyenv/versions/3.9.9/.netrc', 'x');
    assert.equal(reader.isCurrent(), false);
  });
});
