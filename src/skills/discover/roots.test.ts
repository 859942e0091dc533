import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { look, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { builtinFamilies } from '../../families/index.ts';
import { standardRoots, type RootOptions } from './roots.ts';

const nowhere = '/skilled-no-such-folder';

/** Returns the roots as `source path`, relative to a folder. Roots for subagents are included on request. */
function rootsOf(base: string, options: RootOptions, kind = 'skills'): readonly string[] {
  return standardRoots(options, builtinFamilies)
    .filter((root) => root.kind === kind)
    .map((root) => `${root.source} ${relative(base, root.path)}`);
}

// The folders of other programs, in a project and in a home folder.
const others = ['.codex', '.gemini', '.cursor', '.github', '.opencode'];
const othersOfUser = ['.codex', '.gemini', '.cursor', '.copilot', '.config/opencode'];

describe('the roots', () => {
  test('come in the order of the sources', () => {
    using files = tree({ 'home/work/.git/HEAD': '' });
    const roots = standardRoots(
      {
        startDir: files.at('home/work'),
        home: files.at('home'),
        userRoots: true,
        additionalSkillRoots: [files.at('named')],
        pluginRoots: [skillsAt(files.at('plugin/skills'), 'plugin')],
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

  test('of a folder are skills, .agents, .skilled, .claude, .pi, each with its twin for subagents', () => {
    const options = { startDir: join(nowhere, 'w'), searchUpwards: false };
    const bases = ['', '.agents/', '.skilled/', '.claude/', '.pi/'];
    assert.deepEqual(
      rootsOf(options.startDir, options),
      [...bases, ...others.map((base) => `${base}/`)].map((base) => `project ${base}skills`),
    );
    assert.deepEqual(rootsOf(options.startDir, options, 'agents'), [
      ...bases.map((base) => `project ${base}agents`),
      'project .agents',
    ]);
  });

  test('of the user are .skilled, .agents, .claude, .pi/agent, only when asked for', () => {
    const options = { home: join(nowhere, 'home') };
    assert.deepEqual(rootsOf(options.home, options), []);
    const asked = { ...options, userRoots: true };
    assert.deepEqual(
      rootsOf(options.home, asked),
      ['.skilled', '.agents', '.claude', '.pi/agent', ...othersOfUser].map((base) => `user ${base}/skills`),
    );
    assert.deepEqual(rootsOf(options.home, asked, 'commands'), ['user .claude/commands']);
    assert.deepEqual(rootsOf(options.home, asked, 'agents'), [
      'user .skilled/agents',
      'user .agents/agents',
      'user .claude/agents',
      'user .pi/agent/agents',
      'user .agents',
    ]);
  });

  test('are listed although they are missing, since they may appear', () => {
    assert.equal(standardRoots({ startDir: nowhere, searchUpwards: false }, builtinFamilies).length, 17);
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
    assert.deepEqual([...new Set(roots.map((root) => root.kind))], ['skills', 'commands']);
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
    const asProject = ['skills', '.pi/skills', '.github/skills', '.opencode/skills'].map(
      (path) => `project ${path}`,
    );
    assert.deepEqual(rootsOf(files.path, options), asProject);
    assert.deepEqual(rootsOf(files.path, { ...options, userRoots: true }), [
      ...asProject,
      ...['.skilled', '.agents', '.claude', '.pi/agent', ...othersOfUser].map(
        (base) => `user ${base}/skills`,
      ),
    ]);
  });

  test('are the users own when home is a repository', () => {
    using files = tree({ '.git/HEAD': '', 'work/x': '' });
    const roots = rootsOf(files.path, { startDir: files.at('work'), home: files.path, userRoots: true });
    assert.deepEqual(
      roots.filter((root) => !root.includes('work') && !/^project \./.test(root)),
      [
        'project skills',
        ...['.skilled', '.agents', '.claude', '.pi/agent', ...othersOfUser].map(
          (base) => `user ${base}/skills`,
        ),
      ],
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
      ['.skilled', '.agents', '.claude', '.pi/agent', ...othersOfUser].map(
        (base) => `user home/${base}/skills`,
      ),
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
      ...['', '.agents/', '.skilled/', '.claude/', '.pi/'].map(
        (base) => `explicit pack/skills/${base}agents`,
      ),
      'explicit pack/skills/.agents',
    ]);
  });

  test('keep the order given, are relative to the start folder and count once', () => {
    const options = {
      startDir: nowhere,
      searchUpwards: false,
      additionalSkillRoots: ['b/skills', join(nowhere, 'a/skills'), './b/skills', 'skills'],
    };
    const isUsual = (root: string): boolean => !/skills\/\.|\.(?!agents|skilled|claude)/.test(root);
    assert.deepEqual(rootsOf(nowhere, options).filter(isUsual), [
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
      pluginRoots: [skillsAt(nowhere, 'plugin')],
      bundledRoot: nowhere,
      additionalSkillRoots: ['mine'],
      only: true,
    };
    const bases = ['.agents', '.skilled', '.claude', '.pi', ...others].map(
      (base) => `explicit mine/${base}/skills`,
    );
    assert.deepEqual(rootsOf(nowhere, options), ['explicit mine', ...bases]);
  });

  test('expand ~', () => {
    const roots = rootsOf(nowhere, { home: nowhere, additionalSkillRoots: ['~/mine', '~'], only: true });
    assert.ok(roots.includes('explicit mine'));
    assert.ok(roots.includes('explicit .claude/skills'));
  });

  test('that are projects list the skills and commands of the project', () => {
    using files = tree({
      'app/.agents/skills/a/SKILL.md': skillText('a'),
      'app/.claude/skills/b/SKILL.md': skillText('b'),
      'app/.github/skills/c/SKILL.md': skillText('c'),
      'app/.claude/commands/d.md': 'Do d.',
    });
    const roots = standardRoots({ additionalSkillRoots: [files.at('app')] }, builtinFamilies);
    assert.deepEqual(
      look(files.path, roots).found.map(({ stem }) => stem),
      ['a', 'b', 'c', 'd'],
    );
  });

  for (const hidden of ['.curated', '.system', '.mine']) {
    test(`list the hidden collection ${hidden}`, () => {
      using files = tree({ [`skills/${hidden}/a/SKILL.md`]: skillText('a') });
      const roots = standardRoots({ additionalSkillRoots: [files.at('skills')] }, builtinFamilies);
      assert.deepEqual(look(files.path, roots).files, [`skills/${hidden}/a/SKILL.md`]);
    });
  }

  test('leave the skills of other programs in hidden folders alone', () => {
    using files = tree({ '.git/skills/a/SKILL.md': skillText('a'), '.cache/b/SKILL.md': skillText('b') });
    const roots = standardRoots({ additionalSkillRoots: [files.path] }, builtinFamilies);
    assert.deepEqual(look(files.path, roots).files, []);
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
