import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { builtinFamilies } from '../../families/index.ts';
import { readPlugins } from './plugins.ts';

const manifest = (...skills: readonly string[]): string => JSON.stringify({ skilled: { skills } });

function optionsIn(files: Tree): Parameters<typeof readPlugins>[1] {
  return { startDir: files.at('work/app'), home: files.at('home'), families: builtinFamilies };
}

/** The roots below a folder and the findings, for a workspace called `work/app`. */
function open(
  files: Tree,
  ...plugins: readonly string[]
): { roots: readonly string[]; said: readonly string[] } {
  const { roots, issues } = readPlugins(plugins, optionsIn(files));
  assert.ok(issues.every(({ level, code }) => level === 'warning' && code === 'plugin.unusable'));
  return {
    roots: roots.map(({ path }) => path.slice(files.path.length + 1)),
    said: issues.map(({ message }) => message.replaceAll(`${files.path}/`, '')),
  };
}

describe('a plugin', () => {
  test('is the nearest package of its name upwards', () => {
    using files = tree({
      'node_modules/far/package.json': manifest('skills'),
      'node_modules/far/skills/a': '',
      'work/node_modules/near/package.json': manifest('./skills', 'more/skills'),
      'work/node_modules/near/skills/a': '',
      'work/node_modules/near/more/skills/a': '',
      'node_modules/near/package.json': manifest('skills'),
      'node_modules/near/skills/a': '',
      'work/app/x': '',
    });
    assert.deepEqual(open(files, 'near', 'far'), {
      roots: [
        'work/node_modules/near/skills',
        'work/node_modules/near/more/skills',
        'node_modules/far/skills',
      ],
      said: [],
    });
  });

  test('may be a scoped package', () => {
    using files = tree({
      'work/app/node_modules/@team/pack/package.json': manifest('skills'),
      'work/app/node_modules/@team/pack/skills/a': '',
    });
    assert.deepEqual(open(files, '@team/pack').roots, ['work/app/node_modules/@team/pack/skills']);
  });

  test('may be a package that a store links to', () => {
    using files = tree({ 'store/pack/package.json': manifest('skills'), 'store/pack/skills/a': '' });
    mkdirSync(files.at('work/app/node_modules'), { recursive: true });
    symlinkSync(files.at('store/pack'), files.at('work/app/node_modules/pack'));
    assert.deepEqual(open(files, 'pack'), { roots: ['work/app/node_modules/pack/skills'], said: [] });
  });

  for (const written of ['./tools/pack', 'tools/pack', '../app/tools/pack']) {
    test(`may be a folder, written as ${written}`, () => {
      using files = tree({
        'work/app/tools/pack/package.json': manifest('.'),
        'work/app/tools/pack/a/SKILL.md': '',
      });
      assert.deepEqual(open(files, written), { roots: ['work/app/tools/pack'], said: [] });
    });
  }

  test('may be a folder by its absolute path', () => {
    using files = tree({ 'else/pack/package.json': manifest('skills'), 'else/pack/skills/a': '' });
    assert.deepEqual(open(files, files.at('else/pack')).roots, ['else/pack/skills']);
  });

  test('may declare one path as text, and have a byte order mark', () => {
    using files = tree({
      'work/app/p/package.json': '\ufeff{"skilled": {"skills": "skills"}}',
      'work/app/p/skills/a': '',
    });
    assert.deepEqual(open(files, './p'), { roots: ['work/app/p/skills'], said: [] });
  });

  for (const name of [
    'missing',
    '@team/missing',
    './missing',
    '',
    '../../no-such',
    'a/../../b',
    '@team/../../x',
  ]) {
    test(`that is not there is said: "${name}"`, () => {
      using files = tree({ 'work/app/x': '' });
      assert.deepEqual(open(files, name), { roots: [], said: [`The plugin "${name}" is not installed.`] });
    });
  }

  test('that is a file is not installed', () => {
    using files = tree({ 'work/app/file': '', 'work/app/node_modules/file': '' });
    assert.deepEqual(open(files, './file', 'file').roots, []);
    assert.equal(open(files, './file', 'file').said.length, 2);
  });
});

describe('the declaration of a plugin', () => {
  const declared = (text: string): ReturnType<typeof open> => {
    using files = tree({
      'work/app/p/package.json': text,
      'work/app/p/skills/a': '',
      'work/app/other/a': '',
    });
    return open(files, './p');
  };

  for (const text of ['{}', '[]', 'null', '5', '{"skilled": 5}', '{"skilled": {}}', manifest()]) {
    test(`may be missing: ${text}`, () => {
      assert.deepEqual(declared(text), { roots: [], said: ['The plugin "./p" declares no skills.'] });
    });
  }

  test('may hold something that is not a path: the others count', () => {
    assert.deepEqual(declared('{"skilled": {"skills": [5, "skills", null]}}'), {
      roots: ['work/app/p/skills'],
      said: ['The plugin "./p" declares something that is not a path.'],
    });
  });

  for (const text of ['', '{', '{"skilled": {"skills": ["skills"],}}', '\0']) {
    test(`may be not JSON: ${JSON.stringify(text)}`, () => {
      const { roots, said } = declared(text);
      assert.deepEqual(roots, []);
      assert.match(said[0] ?? '', /^The plugin "\.\/p" has no valid package\.json \(.+\)\.$/);
    });
  }

  test('may be not a file at all', () => {
    using files = tree({ 'work/app/p/skills/a': '', 'work/app/q/skills/a': '' });
    execFileSync('mkfifo', [files.at('work/app/q/package.json')]);
    const { roots, said } = open(files, './p', './q');
    assert.deepEqual(roots, []);
    assert.equal(said.length, 2);
  });

  for (const path of [
    '..',
    '../other',
    'skills/../../other',
    '/etc',
    'missing',
    '../p-other',
    'package.json',
  ]) {
    test(`may not lead out of it or nowhere: ${path}`, () => {
      const { roots, said } = declared(manifest(path, 'skills'));
      assert.deepEqual(roots, ['work/app/p/skills']);
      assert.deepEqual(said, [
        `The plugin "./p" declares "${path}", which is missing or outside the plugin.`,
      ]);
    });
  }

  test('may not lead out by a link', () => {
    using files = tree({
      'work/app/p/package.json': manifest('linked', 'linked/inner', 'inside'),
      'work/app/p/real/a': '',
      'work/app/outside/inner/a': '',
    });
    symlinkSync(files.at('work/app/outside'), files.at('work/app/p/linked'));
    symlinkSync('real', files.at('work/app/p/inside'));
    const { roots, said } = open(files, './p');
    assert.deepEqual(roots, ['work/app/p/inside']);
    assert.equal(said.length, 2);
  });

  test('is named by the finding, with its file', () => {
    using files = tree({ 'work/app/p/package.json': '{}' });
    const { issues } = readPlugins(['./p'], optionsIn(files));
    assert.equal(issues[0]?.file, files.at('work/app/p/package.json'));
    assert.match(issues[0].hint ?? '', /"skilled": \{"skills"/);
  });
});
