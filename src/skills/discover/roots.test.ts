import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { builtinFamilies } from '../../families/index.ts';
import { pluginRoots, standardRoots, type RootOptions } from './roots.ts';

const nowhere = '/skilled-no-such-folder';

/** The roots as `source path`, relative to a folder; those for subagents only when asked for. */
function rootsOf(base: string, options: RootOptions, kind = 'skills'): readonly string[] {
  return standardRoots(options, builtinFamilies)
    .filter((root) => root.kind === kind)
    .map((root) => `${root.source} ${relative(base, root.path)}`);
}

describe('the roots', () => {
  test('come in the order of the sources', () => {
    using files = tree({ 'home/work/.git/HEAD': '' });
    const roots = standardRoots(
      {
        startDir: files.at('home/work'),
        home: files.at('home'),
        userRoots: true,
        additionalSkillRoots: [files.at('named')],
        pluginRoots: [files.at('plugin/skills')],
        bundledRoot: files.at('package/skills'),
      },
      builtinFamilies,
    );
    const sources = roots.map((root) => root.source);
    assert.deepEqual([...new Set(sources)], ['explicit', 'project', 'user', 'plugin', 'bundled']);
    const order = ['explicit', 'project', 'user', 'plugin', 'bundled'];
    assert.deepEqual(
      sources,
      sources.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    );
  });

  test('of a folder are skills, .agents, .skilled, .claude, each with its twin for subagents', () => {
    const options = { startDir: join(nowhere, 'w'), searchUpwards: false };
    const bases = ['', '.agents/', '.skilled/', '.claude/'];
    assert.deepEqual(
      rootsOf(options.startDir, options),
      bases.map((base) => `project ${base}skills`),
    );
    assert.deepEqual(
      rootsOf(options.startDir, options, 'agents'),
      bases.map((base) => `project ${base}agents`),
    );
  });

  test('of the user are .skilled, .agents, .claude, only when asked for', () => {
    const options = { home: join(nowhere, 'home') };
    assert.deepEqual(rootsOf(options.home, options), []);
    const asked = { ...options, userRoots: true };
    assert.deepEqual(rootsOf(options.home, asked), [
      'user .skilled/skills',
      'user .agents/skills',
      'user .claude/skills',
    ]);
    assert.deepEqual(rootsOf(options.home, asked, 'agents'), [
      'user .skilled/agents',
      'user .agents/agents',
      'user .claude/agents',
    ]);
  });

  test('are listed although they are missing, since they may appear', () => {
    assert.equal(standardRoots({ startDir: nowhere, searchUpwards: false }, builtinFamilies).length, 8);
  });

  test('of the package stay bundled when the search starts in the package', () => {
    const roots = rootsOf(nowhere, {
      startDir: nowhere,
      searchUpwards: false,
      bundledRoot: join(nowhere, 'skills'),
    });
    assert.ok(!roots.includes('project skills'));
    assert.equal(roots.at(-1), 'bundled skills');
  });

  test('are none when nothing is named', () => {
    assert.deepEqual(standardRoots({}, builtinFamilies), []);
  });

  test('for subagents are missing when no family wants them', () => {
    const families = builtinFamilies.filter((family) => !('folder' in (family.descriptor ?? {})));
    const roots = standardRoots({ startDir: nowhere, searchUpwards: false }, families);
    assert.deepEqual([...new Set(roots.map((root) => root.kind))], ['skills']);
  });
});

describe('the upward search', () => {
  const folders = (base: string, options: RootOptions): readonly string[] =>
    rootsOf(base, options)
      .filter((root) => root.endsWith('.agents/skills'))
      .map((root) => root.slice('project '.length, -'.agents/skills'.length));

  test('goes to the root of the repository and no further, nearest first', () => {
    using files = tree({ 'outer/repo/.git/HEAD': '', 'outer/repo/packages/feature/x': '' });
    const startDir = files.at('outer/repo/packages/feature');
    assert.deepEqual(folders(files.path, { startDir }), [
      'outer/repo/packages/feature/',
      'outer/repo/packages/',
      'outer/repo/',
    ]);
  });

  test('takes a .git file for a repository too, as worktrees and submodules have', () => {
    using files = tree({ 'repo/.git': 'gitdir: elsewhere\n', 'repo/a/x': '' });
    assert.deepEqual(folders(files.path, { startDir: files.at('repo/a') }), ['repo/a/', 'repo/']);
  });

  test('stops below home outside a repository', () => {
    using files = tree({ 'home/work/deep/x': '' });
    const options = { startDir: files.at('home/work/deep'), home: files.at('home') };
    assert.deepEqual(folders(files.path, options), ['home/work/deep/', 'home/work/']);
    assert.deepEqual(folders(files.path, { ...options, home: `${files.at('home')}/` }), [
      'home/work/deep/',
      'home/work/',
    ]);
  });

  test('reaches the root of the file system when home is elsewhere', () => {
    const startDir = join(nowhere, 'a', 'b');
    assert.deepEqual(folders('/', { startDir, home: '/another-home' }), [
      `${startDir.slice(1)}/`,
      `${nowhere.slice(1)}/a/`,
      `${nowhere.slice(1)}/`,
      '',
    ]);
  });

  test('can be switched off', () => {
    using files = tree({ 'repo/.git/HEAD': '', 'repo/a/x': '' });
    const options = { startDir: files.at('repo/a'), searchUpwards: false };
    assert.deepEqual(folders(files.path, options), ['repo/a/']);
  });
});

describe('the roots of the home folder', () => {
  test('are the users own when the search starts there', () => {
    using files = tree();
    const options = { startDir: files.path, home: files.path };
    assert.deepEqual(rootsOf(files.path, options), ['project skills']);
    assert.deepEqual(rootsOf(files.path, { ...options, userRoots: true }), [
      'project skills',
      'user .skilled/skills',
      'user .agents/skills',
      'user .claude/skills',
    ]);
  });

  test('are the users own when home is a repository', () => {
    using files = tree({ '.git/HEAD': '', 'work/x': '' });
    const roots = rootsOf(files.path, { startDir: files.at('work'), home: files.path, userRoots: true });
    assert.deepEqual(
      roots.filter((root) => !root.includes('work')),
      ['project skills', 'user .skilled/skills', 'user .agents/skills', 'user .claude/skills'],
    );
  });

  test('are the users own when the search starts inside of them', () => {
    using files = tree({ '.claude/skills/writing/SKILL.md': skillText('writing') });
    const options = { startDir: files.at('.claude/skills/writing'), home: files.path, userRoots: true };
    const roots = rootsOf(files.path, options);
    assert.ok(roots.includes('user .claude/skills'));
    assert.ok(!roots.includes('project .claude/skills'));
  });

  test('are the users own when the path to home goes through a link', () => {
    using files = tree({ 'real/work/x': '' });
    symlinkSync(files.at('real'), files.at('home'));
    const roots = rootsOf(files.path, {
      startDir: files.at('real/work'),
      home: files.at('home'),
      userRoots: true,
    });
    assert.deepEqual(
      roots.filter((root) => root.startsWith('user')),
      ['user home/.skilled/skills', 'user home/.agents/skills', 'user home/.claude/skills'],
    );
    assert.ok(roots.every((root) => !root.startsWith('project') || root.includes('real/work')));
  });

  test('are explicit when the caller names one', () => {
    const home = join(nowhere, 'home');
    const additionalSkillRoots = [join(home, '.claude/skills')];
    const roots = rootsOf(home, { home, userRoots: true, additionalSkillRoots });
    assert.equal(roots[0], 'explicit .claude/skills');
    assert.ok(!roots.includes('user .claude/skills'));
  });
});

describe('named roots', () => {
  test('bring the folders for subagents beside and inside of them', () => {
    const additionalSkillRoots = [join(nowhere, 'pack', 'skills')];
    assert.deepEqual(rootsOf(nowhere, { additionalSkillRoots }, 'agents'), [
      'explicit pack/agents',
      'explicit pack/skills/agents',
    ]);
  });

  test('keep the order given, are relative to the start folder and count once', () => {
    const options = {
      startDir: nowhere,
      searchUpwards: false,
      additionalSkillRoots: ['b/skills', join(nowhere, 'a/skills'), './b/skills', 'skills'],
    };
    assert.deepEqual(rootsOf(nowhere, options), [
      'explicit b/skills',
      'explicit a/skills',
      'explicit skills',
      'project .agents/skills',
      'project .skilled/skills',
      'project .claude/skills',
    ]);
  });

  test('of the package itself stay bundled where its own folder is the project', () => {
    using files = tree({ '.git/HEAD': '' });
    const roots = rootsOf(files.path, { startDir: files.at('examples'), bundledRoot: files.at('skills') });
    assert.ok(roots.includes('bundled skills'));
    assert.ok(!roots.includes('project skills'));
  });

  test('can be the only ones', () => {
    const options = {
      startDir: nowhere,
      home: nowhere,
      userRoots: true,
      pluginRoots: [nowhere],
      bundledRoot: nowhere,
      additionalSkillRoots: ['mine'],
      only: true,
    };
    assert.deepEqual(rootsOf(nowhere, options), ['explicit mine']);
  });

  test('that are folders of subagents give subagents before skills', () => {
    using files = tree({
      'agents/reviewer.md': skillText('reviewer'),
      'agents/helper/SKILL.md': skillText('helper'),
    });
    const roots = standardRoots({ additionalSkillRoots: [files.at('agents')] }, builtinFamilies);
    const { found } = look(files.path, roots);
    assert.deepEqual(
      found.map(({ stem, family }) => `${stem} ${family.id}`),
      ['reviewer subagent', 'helper agent-skill'],
    );
  });

  test('that are missing or no folder are worth a finding, others are not', () => {
    using files = tree({ 'file.md': '' });
    mkdirSync(files.at('there'));
    const named = ['missing', 'file.md', 'there', 'missing'].map((name) => files.at(name));
    const roots = standardRoots(
      { startDir: files.at('nothing'), searchUpwards: false, additionalSkillRoots: named },
      builtinFamilies,
    );
    const { diagnostics, issues } = look(files.path, roots);
    assert.deepEqual(diagnostics, ['scan.no-root missing', 'scan.no-root file.md']);
    assert.match(issues[0]?.message ?? '', /does not exist/);
    assert.match(issues[1]?.message ?? '', /not a folder/);
    assert.deepEqual(look(files.path, [skillsAt(files.at('missing'))]).diagnostics, []);
  });
});

const manifest = (...skills: readonly string[]): string => JSON.stringify({ skilled: { skills } });

/** The roots below a folder and the findings, for a workspace called `work/app`. */
function open(
  files: Tree,
  ...plugins: readonly string[]
): { roots: readonly string[]; said: readonly string[] } {
  const { roots, issues } = pluginRoots(plugins, files.at('work/app'));
  assert.ok(issues.every(({ level, code }) => level === 'warning' && code === 'plugin.unusable'));
  return {
    roots: roots.map((root) => root.slice(files.path.length + 1)),
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

  test('may hold something that is no path: the others count', () => {
    assert.deepEqual(declared('{"skilled": {"skills": [5, "skills", null]}}'), {
      roots: ['work/app/p/skills'],
      said: ['The plugin "./p" declares something that is not a path.'],
    });
  });

  for (const text of ['', '{', '{"skilled": {"skills": ["skills"],}}', '\0']) {
    test(`may be no JSON: ${JSON.stringify(text)}`, () => {
      const { roots, said } = declared(text);
      assert.deepEqual(roots, []);
      assert.match(said[0] ?? '', /^The plugin "\.\/p" has no valid package\.json \(.+\)\.$/);
    });
  }

  test('may be no file at all', () => {
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
    const { issues } = pluginRoots(['./p'], files.at('work/app'));
    assert.equal(issues[0]?.file, files.at('work/app/p/package.json'));
    assert.match(issues[0].hint ?? '', /"skilled": \{"skills"/);
  });
});
