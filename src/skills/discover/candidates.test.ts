import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { agentsAt, look, scanOptions, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { sources } from '../../core/skill.ts';
import { discover } from './discover.ts';

describe('a descriptor name', () => {
  for (const name of ['SKILL.md', 'skill.md', 'Skill.MD', 'sKiLl.Md']) {
    test(`counts as ${name}`, () => {
      using files = tree({ [`skills/a/${name}`]: skillText('a') });
      const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
      assert.deepEqual(paths, [`skills/a/${name}`]);
      assert.deepEqual(diagnostics, []);
    });
  }

  test('counts in any letter case for every family', () => {
    const names = ['DCGSKILL.md', 'CSkill.md', 'mskill.MD', 'OSKILL.MD', 'Tskill.md'];
    using files = tree(Object.fromEntries(names.map((name) => [`skills/a/${name}`, '# A\n'])));
    const { found } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(found.map(({ file }) => file.slice(file.lastIndexOf('/') + 1)).sort(), names.sort());
  });

  test('in its exact spelling wins over other cases, with a finding', () => {
    using files = tree({
      'skills/a/SKILL.md': skillText('exact'),
      'skills/a/SKILL.MD': skillText('other'),
      'skills/a/skill.md': skillText('other'),
    });
    const { files: paths, diagnostics, issues } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.two-spellings skills/a/SKILL.md']);
    assert.match(
      issues[0]?.message ?? '',
      /^SKILL\.MD, SKILL\.md, skill\.md differ .*; only SKILL\.md is loaded/,
    );
  });

  test('without the exact spelling goes by code units, links alike', () => {
    using files = tree({ 'skills/a/skill.md': skillText('a'), 'skills/a/Skill.md': skillText('b') });
    symlinkSync('skill.md', files.at('skills/a/SKILL.MD'));
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.MD']);
    assert.deepEqual(diagnostics, ['scan.two-spellings skills/a/SKILL.MD']);
  });

  test('of another name is nothing', () => {
    using files = tree({ 'skills/a/SKILL.md.bak': '', 'skills/b/MYSKILL.md': '', 'skills/c/SKILL.mdx': '' });
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, []);
  });
});

describe('a descriptor that is not a file', () => {
  test('is a folder like any other when it is one', () => {
    using files = tree({ 'skills/a/SKILL.md/b/SKILL.md': skillText('b') });
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/SKILL.md/b/SKILL.md']);
    assert.deepEqual(diagnostics, []);
  });

  test('is skipped without blocking when it is a FIFO, and hides nothing', () => {
    using files = tree({ 'skills/a/sub/SKILL.md': skillText('sub'), 'skills/b/SKILL.md': skillText('b') });
    execFileSync('mkfifo', [files.at('skills/a/SKILL.md')]);
    execFileSync('mkfifo', [files.at('skills/SKILL.md')]);
    const { discovered, issues } = discover([skillsAt(files.at('skills'))], scanOptions());
    assert.deepEqual(
      discovered.map(({ found }) => found.stem),
      ['sub', 'b'],
    );
    assert.deepEqual(
      issues.map(({ code, file }) => [code, file]),
      [
        ['scan.not-a-file', files.at('skills/SKILL.md')],
        ['scan.not-a-file', files.at('skills/a/SKILL.md')],
      ],
    );
  });

  test('is skipped when it is a socket', async () => {
    using files = tree({ 'skills/b/SKILL.md': skillText('b') });
    mkdirSync(files.at('skills/a'));
    await using server = createServer();
    server.listen(files.at('skills/a/SKILL.md'));
    await once(server, 'listening');
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/b/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.not-a-file skills/a/SKILL.md']);
  });

  test('is skipped when it is a link to a device', () => {
    using files = tree({ 'skills/a/sub/SKILL.md': skillText('sub') });
    symlinkSync('/dev/zero', files.at('skills/a/SKILL.md'));
    const { files: paths, diagnostics } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(paths, ['skills/a/sub/SKILL.md']);
    assert.deepEqual(diagnostics, ['scan.not-a-file skills/a/SKILL.md']);
  });

  test('is not reported where it is ignored', () => {
    using files = tree({ 'skills/.gitignore': 'SKILL.md\n', 'skills/a/x': '' });
    execFileSync('mkfifo', [files.at('skills/a/SKILL.md')]);
    assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).diagnostics, []);
  });
});

describe('a hard-linked descriptor', () => {
  for (const source of sources) {
    const isRefused = source === 'project' || source === 'explicit';
    test(`is ${isRefused ? 'refused' : 'read'} in the ${source} source`, () => {
      using files = tree({ 'elsewhere.txt': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
      mkdirSync(files.at('skills/a'));
      linkSync(files.at('elsewhere.txt'), files.at('skills/a/SKILL.md'));
      const { discovered } = discover([skillsAt(files.at('skills'), source)], scanOptions());
      assert.deepEqual(
        discovered.map(({ draft }) => draft.usable),
        [!isRefused, true],
      );
      assert.deepEqual(
        discovered[0]?.draft.issues.map(({ code, file }) => [code, file]),
        isRefused ? [['descriptor.hard-link', files.at('skills/a/SKILL.md')]] : [],
      );
    });
  }

  test('that is a loose file without frontmatter is silently no skill', () => {
    using files = tree({ 'notes.txt': 'Some notes.\n' });
    mkdirSync(files.at('skills'));
    linkSync(files.at('notes.txt'), files.at('skills/notes.md'));
    assert.deepEqual(discover([skillsAt(files.at('skills'), 'project')], scanOptions()).discovered, []);
  });
});

describe('a loose file', () => {
  const names = (files: ReturnType<typeof tree>): readonly string[] =>
    discover([skillsAt(files.at('skills'))], scanOptions()).discovered.map(
      ({ found, draft }) => `${found.stem} ${draft.name} ${found.family.id} ${found.loose}`,
    );

  test('directly in the root is a skill named by its name or stem', () => {
    using files = tree({
      'skills/one.md': skillText('declared'),
      'skills/two.MD': '---\ndescription: Two.\n---\n',
    });
    assert.deepEqual(names(files), ['one declared agent-skill true', 'two  agent-skill true']);
  });

  test('without frontmatter is silently no skill', () => {
    using files = tree({
      'skills/plain.md': '# Notes\n\nText.\n',
      'skills/rule.md': 'Text.\n\n---\n\nMore.\n',
      'skills/empty.md': '',
      'skills/text.txt': skillText('text'),
    });
    const { discovered, issues } = discover([skillsAt(files.at('skills'))], scanOptions());
    assert.deepEqual([discovered, issues], [[], []]);
  });

  for (const name of ['README.md', 'AGENTS.md', 'CLAUDE.md', 'readme.md', 'Agents.MD']) {
    test(`is silently no skill when it is called ${name}`, () => {
      using files = tree({ [`skills/${name}`]: skillText('x'), 'skills/a/SKILL.md': skillText('a') });
      assert.deepEqual(look(files.path, [skillsAt(files.at('skills'))]).files, ['skills/a/SKILL.md']);
    });
  }

  test('deeper than the root is nothing', () => {
    using files = tree({ 'skills/group/loose.md': skillText('loose') });
    assert.deepEqual(names(files), []);
  });

  test('with two of them unnamed are two skills', () => {
    using files = tree({
      'skills/one.md': '---\ndescription: One.\n---\n',
      'skills/two.md': '---\ndescription: Two.\n---\n',
    });
    assert.deepEqual(names(files), ['one  agent-skill true', 'two  agent-skill true']);
  });

  test('without a description is found, but in no catalog', () => {
    using files = tree({ 'skills/one.md': '---\nname: one\n---\n\nDo it.\n' });
    const { discovered } = discover([skillsAt(files.at('skills'))], scanOptions());
    assert.deepEqual([discovered[0]?.draft.usable, discovered[0]?.draft.card.listed], [true, false]);
  });

  test('that is ignored is nothing', () => {
    using files = tree({ 'skills/.gitignore': 'one.md\n', 'skills/one.md': skillText('one') });
    assert.deepEqual(names(files), []);
  });

  test('is not a descriptor to families that read bundles only', () => {
    using files = tree({ 'skills/one.md': skillText('one') });
    const options = scanOptions();
    const families = options.families.filter(
      ({ descriptor }) => !(descriptor !== undefined && 'loose' in descriptor),
    );
    assert.deepEqual(discover([skillsAt(files.at('skills'))], { ...options, families }).discovered, []);
  });
});

describe('a skill in a root of subagents', () => {
  test('is not a subagent and is reported; directly in the root it hides none', () => {
    using files = tree({
      'agents/SKILL.md': skillText('stray'),
      'agents/one.md': skillText('one'),
      'agents/bundle/SKILL.md': skillText('bundle'),
      'agents/bundle/notes.md': skillText('notes'),
    });
    const { files: found, diagnostics } = look(files.path, [agentsAt(files.at('agents'))]);
    assert.deepEqual(found, ['agents/one.md']);
    assert.deepEqual(diagnostics, [
      'scan.misplaced agents/SKILL.md',
      'scan.misplaced agents/bundle/SKILL.md',
    ]);
  });
});

describe('a root of subagents', () => {
  test('takes Markdown files at any depth, grouped by their folder', () => {
    using files = tree({
      'agents/one.md': skillText('one'),
      'agents/team/two.md': skillText('two'),
      'agents/team/sub/three.md': skillText('three'),
      'agents/team/README.md': skillText('readme'),
      'agents/notes.txt': '',
      'agents/.hidden/four.md': skillText('four'),
    });
    const { found, diagnostics } = look(files.path, [agentsAt(files.at('agents'))]);
    assert.deepEqual(
      found.map(({ family, stem, group, loose }) => `${family.id} ${group} ${stem} ${loose}`),
      ['subagent  one true', 'subagent team/sub three true', 'subagent team two true'],
    );
    assert.deepEqual(diagnostics, []);
  });

  test('leaves out files without frontmatter', () => {
    using files = tree({ 'agents/one.md': skillText('one'), 'agents/notes.md': 'Just notes.\n' });
    const { discovered } = discover([agentsAt(files.at('agents'))], scanOptions());
    assert.deepEqual(
      discovered.map(({ found }) => found.stem),
      ['one'],
    );
  });

  test('takes nothing from a folder with a descriptor: that is a bundle', () => {
    using files = tree({
      'agents/one.md': skillText('one'),
      'agents/bundle/SKILL.md': skillText('bundle'),
      'agents/bundle/notes.md': skillText('notes'),
      'agents/table/tskill.md': '# T\n',
      'agents/table/more/notes.md': skillText('notes'),
    });
    assert.deepEqual(look(files.path, [agentsAt(files.at('agents'))]).files, ['agents/one.md']);
  });

  test('honours ignore files, links and FIFOs like any other', () => {
    using files = tree({
      'agents/.gitignore': 'draft-*\n',
      'agents/draft-one.md': skillText('one'),
      'agents/two.md': skillText('two'),
    });
    symlinkSync('two.md', files.at('agents/again.md'));
    execFileSync('mkfifo', [files.at('agents/pipe.md')]);
    const { files: paths, diagnostics } = look(files.path, [agentsAt(files.at('agents'))]);
    assert.deepEqual(paths, ['agents/two.md']);
    assert.deepEqual(diagnostics, ['scan.not-a-file agents/pipe.md']);
  });
});

describe('below a root of skills', () => {
  test('a folder called agents is only a group', () => {
    using files = tree({
      'skills/agents/reviewer.md': skillText('reviewer'),
      'skills/agents/helper/SKILL.md': skillText('helper'),
    });
    const { found } = look(files.path, [skillsAt(files.at('skills'))]);
    assert.deepEqual(
      found.map(({ family, stem, group }) => `${family.id} ${group} ${stem}`),
      ['agent-skill agents helper'],
    );
  });
});
