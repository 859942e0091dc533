import assert from 'node:assert/strict';
import { linkSync, symlinkSync } from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import { RecursiveSkilledAgent, type AgentOptions, type Issue, type Skill } from '../../src/index.ts';
import { tree, type Tree } from '../support/tree.ts';
import { skill } from './skill-text.ts';

// Cases 1 to 20 of pi: discovery. Each title starts with the number of its case.

interface Discovery {
  readonly names: readonly string[];
  readonly skills: readonly Skill[];
  readonly issues: readonly Issue[];
}

/** Returns the skills that an agent discovers in a folder, without those of the package. */
function see(files: Tree, options: AgentOptions = {}): Discovery {
  const agent = new RecursiveSkilledAgent({
    startDir: files.path,
    searchUpwards: false,
    embeddings: false,
    ...options,
  });
  const skills = agent.skills.list().filter(({ source }) => source !== 'bundled');
  return { names: skills.map(({ name }) => name), skills, issues: agent.skills.diagnostics() };
}

/** Returns the skills that an agent discovers in a folder `skills` with these files. */
function seeSkills(written: Readonly<Record<string, string>>): Discovery {
  using files = tree(
    Object.fromEntries(Object.entries(written).map(([path, text]) => [`skills/${path}`, text])),
  );
  return see(files);
}

const home = process.env['HOME'];
afterEach(() => {
  if (home === undefined) Reflect.deleteProperty(process.env, 'HOME');
  else process.env['HOME'] = home;
});

describe('discovery', () => {
  test('1: a valid skill is one skill without a finding', () => {
    const { names, issues } = seeSkills({ 'subject/SKILL.md': skill('subject') });
    assert.deepEqual([names, issues], [['subject'], []]);
  });

  test('2: a name that is not that of the folder counts, silently', () => {
    const { names, issues } = seeSkills({ 'folder/SKILL.md': skill('declared') });
    assert.deepEqual([names, issues], [['declared'], []]);
  });

  for (const name of ['Invalid_Name', 'a'.repeat(66), 'bad--name']) {
    test(`3: the name ${name} is loaded with one warning`, () => {
      const { skills, issues } = seeSkills({ 'subject/SKILL.md': skill(name) });
      assert.deepEqual(
        skills.map(({ status }) => status),
        ['ready'],
      );
      assert.deepEqual(
        issues.map(({ level, code }) => [level, code]),
        [['warning', 'name.form']],
      );
    });
  }

  // pi drops both. Here, the body describes the skill, with an issue.
  for (const [row, text] of [
    ['no description', '---\nname: subject\n---\n\nDoes it well.\n'],
    ['no frontmatter', 'Does it well.\n'],
  ] as const) {
    test(`4: with ${row} the first line describes the skill, with a warning`, () => {
      const { skills, issues } = seeSkills({ 'subject/SKILL.md': text });
      assert.equal(skills[0]?.card.description, 'Does it well.');
      assert.ok(issues.some(({ level, code }) => level === 'warning' && code === 'description.derived'));
    });
  }

  // pi drops the skill. Here, the readable fields are used, and the issue has the line.
  test('5: YAML with an open bracket is repaired, with a warning that has the line', () => {
    const { names, issues } = seeSkills({
      'subject/SKILL.md': '---\nname: subject\ndescription: [Does it.\n---\n\nDo it.\n',
    });
    assert.deepEqual(names, ['subject']);
    assert.ok(issues.some(({ code, line = 0 }) => code === 'frontmatter.repaired' && line > 1));
  });

  test('6: a literal description keeps its line ends', () => {
    const text = '---\nname: subject\ndescription: |\n  One.\n  Two.\n---\n\nDo it.\n';
    assert.equal(seeSkills({ 'subject/SKILL.md': text }).skills[0]?.card.description, 'One.\nTwo.');
  });

  test('7: an unknown field is not a finding', () => {
    const { issues } = seeSkills({ 'subject/SKILL.md': skill('subject', 'Do it.', 'colour: red\n') });
    assert.deepEqual(issues, []);
  });

  test('8: a skill in a group is found', () => {
    assert.deepEqual(seeSkills({ 'nested/child-skill/SKILL.md': skill('child-skill') }).names, [
      'child-skill',
    ]);
  });

  test('9: a root that is a skill has no others, and its folder names it', () => {
    using files = tree({
      'rooted/SKILL.md': '---\ndescription: Does it.\n---\n\nDo it.\n',
      'rooted/child/SKILL.md': skill('child'),
    });
    assert.deepEqual(see(files, { additionalSkillRoots: ['rooted'], only: true }).names, ['rooted']);
  });

  test('10: a missing folder is silent unless somebody named it', () => {
    using files = tree({});
    assert.deepEqual(see(files).issues, []);
    const [issue] = see(files, { additionalSkillRoots: ['absent'] }).issues;
    assert.equal(issue?.file, files.at('absent'));
  });

  test('11: disable-model-invocation is a flag, and off unless given', () => {
    const { skills } = seeSkills({
      'off/SKILL.md': skill('off', 'Do it.', 'disable-model-invocation: true\n'),
      'on/SKILL.md': skill('on'),
    });
    assert.deepEqual(
      skills.map(({ card }) => card.modelInvocable),
      [false, undefined],
    );
  });

  test('12: README and AGENTS beside skills are passed over in silence', () => {
    const { names, issues } = seeSkills({
      'README.md': '# Read me\n',
      'AGENTS.md': '---\ndescription: Orders.\n---\n',
      'subject/SKILL.md': skill('subject'),
    });
    assert.deepEqual([names, issues], [['subject'], []]);
  });

  test('13: another Markdown file beside a SKILL.md is not a finding', () => {
    const { names, issues } = seeSkills({
      'subject/SKILL.md': skill('subject'),
      'subject/reference.md': '# Reference\n',
    });
    assert.deepEqual([names, issues], [['subject'], []]);
  });

  test('14: ignore files in a root count, those above it do not', () => {
    using files = tree({
      '.gitignore': 'skills\n',
      'skills/.gitignore': 'venv\n',
      'skills/venv/bad/SKILL.md': skill('bad'),
      'skills/good/SKILL.md': skill('good'),
    });
    assert.deepEqual(see(files).names, ['good']);
  });

  test('15: folders above are looked at up to the repository', () => {
    using files = tree({
      'above/.agents/skills/above/SKILL.md': skill('above'),
      'above/repo/.git/HEAD': '',
      'above/repo/.agents/skills/repo/SKILL.md': skill('repo'),
      'above/repo/packages/.agents/skills/packages/SKILL.md': skill('packages'),
      'above/repo/packages/feature/.keep': '',
    });
    const startDir = files.at('above/repo/packages/feature');
    assert.deepEqual(see(files, { startDir, searchUpwards: true }).names, ['packages', 'repo']);
  });

  // pi searches up to the root of the file system. Here, the search ends below the home folder.
  test('15, 16: outside of a repository the search ends before home, whose skills are the user’s, once', () => {
    using files = tree({
      '.agents/skills/above/SKILL.md': skill('above'),
      'home/.agents/skills/mine/SKILL.md': skill('mine'),
      'home/work/.agents/skills/work/SKILL.md': skill('work'),
      'home/work/deep/.keep': '',
    });
    process.env['HOME'] = files.at('home');
    const { skills } = see(files, {
      startDir: files.at('home/work/deep'),
      searchUpwards: true,
      userRoots: true,
    });
    assert.deepEqual(
      skills.map(({ name, source }) => `${source} ${name}`),
      ['user mine', 'project work'],
    );
  });

  test('17: the project has precedence for a name, and the collision is reported', () => {
    using files = tree({
      'work/.agents/skills/subject/SKILL.md': skill('subject', 'The project.'),
      'home/.agents/skills/subject/SKILL.md': skill('subject', 'The user.'),
    });
    process.env['HOME'] = files.at('home');
    const { skills, issues } = see(files, { startDir: files.at('work'), userRoots: true });
    assert.deepEqual(skills.map(({ source, status }) => `${source} ${status}`).toSorted(), [
      'project ready',
      'user shadowed',
    ]);
    assert.ok(issues.some(({ file }) => file === files.at('home/.agents/skills/subject/SKILL.md')));
  });

  test('18: one file that is reached in two ways is one skill, silently', () => {
    using files = tree({ 'skills/subject/SKILL.md': skill('subject'), '.claude/skills/.keep': '' });
    symlinkSync(files.at('skills/subject'), files.at('.claude/skills/subject'));
    const { names, issues } = see(files);
    assert.deepEqual([names, issues], [['subject'], []]);
  });

  test('19: with only, nothing but the named folders is looked at', () => {
    using files = tree({
      'skills/found/SKILL.md': skill('found'),
      'given/subject/SKILL.md': skill('subject'),
    });
    assert.deepEqual(see(files, { additionalSkillRoots: ['given'], only: true }).names, ['subject']);
  });

  // pi supports patterns and `~` in lists of paths. Here, settings name skills, and folders with a descriptor
  // are not paths.
  test('20: a skill that the settings except cannot be used', () => {
    using files = tree({ 'skills/a/SKILL.md': skill('a'), 'skills/b/SKILL.md': skill('b') });
    const { skills } = see(files, { settings: { skills: { except: ['a'] } } });
    assert.deepEqual(
      skills.map(({ name, status }) => `${name} ${status}`),
      ['a unavailable', 'b ready'],
    );
  });
});

describe('discovery, what neither suite has', () => {
  test('a link to its own folder ends', () => {
    using files = tree({ 'skills/group/subject/SKILL.md': skill('subject') });
    symlinkSync(files.at('skills'), files.at('skills/group/again'));
    assert.deepEqual(see(files).names, ['subject']);
  });

  test('two links to their own folder end', () => {
    using files = tree({ 'skills/group/subject/SKILL.md': skill('subject') });
    for (const name of ['again', 'once-more'])
      symlinkSync(files.at('skills'), files.at(`skills/group/${name}`));
    assert.deepEqual(see(files).names, ['subject']);
  });

  test('the order is that of the names', () => {
    const names = ['m', 'z', 'a', 'b'];
    const written = Object.fromEntries(names.map((name) => [`${name}-x/SKILL.md`, skill(name)]));
    assert.deepEqual(seeSkills(written).names, names.toSorted());
  });

  test('an ignore file in a group means what git means by it', () => {
    const { names } = seeSkills({
      '.gitignore': '/top\n',
      'top/SKILL.md': skill('top'),
      'group/top/SKILL.md': skill('group-top'),
      'group/.gitignore': 'deep\n',
      'group/further/deep/SKILL.md': skill('deep'),
      'deep/SKILL.md': skill('deep-outside'),
    });
    assert.deepEqual(names, ['deep-outside', 'group-top']);
  });

  test('two loose files without a name have the names of their files', () => {
    const text = '---\ndescription: Does it.\n---\n\nDo it.\n';
    assert.deepEqual(seeSkills({ 'one.md': text, 'two.md': text }).names, ['one', 'two']);
  });

  test('a hard link from elsewhere is refused in a project', () => {
    using files = tree({ 'outside.md': skill('subject'), 'skills/subject/.keep': '' });
    linkSync(files.at('outside.md'), files.at('skills/subject/SKILL.md'));
    assert.ok(see(files).skills.every(({ status }) => status !== 'ready'));
  });
});
