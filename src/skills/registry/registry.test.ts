import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { registryOf, type SkillFixture } from '../../../test/support/registry.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { builtinFamilies } from '../../families/index.ts';
import type { World } from '../eligibility/eligibility.ts';
import type { Applicant } from './collisions.ts';
import { applicantOf } from './definition.ts';
import { createOwnSnapshots } from './own-snapshots.ts';
import { buildRegistry, type Registry } from './registry.ts';

/** Returns every skill as `file status`. The skill that resolves the bare name is last. */
function outcome(
  fixtures: readonly SkillFixture[],
  world: Partial<World> = {},
): Readonly<Record<string, string>> {
  const { skills, lookup } = registryOf(fixtures, world);
  const names = [...new Set(skills.map((skill) => skill.name))];
  const labels = skills.map((skill): [string, string] => [labelOf(skill), skill.status]);
  const bare = names.map((name): [string, string] => {
    const skill = lookup.find(name);
    return [name, skill === undefined ? 'nobody' : labelOf(skill)];
  });
  return Object.fromEntries([...labels, ...bare]);
}

function labelOf(skill: { readonly file: string; readonly source: string; readonly family: string }): string {
  return skill.file === '' ? `${skill.source} ${skill.family}` : skill.file;
}

const needsJq = { bins: ['jq'] };

describe('two skills with one name', () => {
  test('the higher source wins, whatever the order of finding', () => {
    const fixtures = (['bundled', 'mcp', 'plugin', 'user', 'project', 'explicit'] as const).map(
      (source): SkillFixture => ({ name: 'x', source, file: `/${source}/x/SKILL.md`, root: `/${source}` }),
    );
    const settings = { allowOverrideBundled: ['x'] };
    const { skills } = registryOf(fixtures, { skills: settings });
    const ready = skills.filter((skill) => skill.status === 'ready');
    assert.deepEqual(
      ready.map((skill) => skill.source),
      ['explicit'],
    );
    assert.deepEqual(
      [...new Set(skills.filter((skill) => skill !== ready[0]).map((skill) => skill.status))],
      ['shadowed'],
    );
  });

  test('an ineligible copy never hides a usable one', () => {
    const fixtures: readonly SkillFixture[] = [
      { name: 'x', source: 'project', file: '/p/x/SKILL.md', root: '/p', requires: needsJq },
      { name: 'x', source: 'user', file: '/u/x/SKILL.md', root: '/u' },
    ];
    assert.deepEqual(outcome(fixtures), {
      '/p/x/SKILL.md': 'shadowed',
      '/u/x/SKILL.md': 'ready',
      x: '/u/x/SKILL.md',
    });
    assert.equal(outcome(fixtures, { hasBinary: () => true })['x'], '/p/x/SKILL.md');
  });

  test('of two ineligible copies the higher one keeps the name', () => {
    const fixtures: readonly SkillFixture[] = [
      { name: 'x', source: 'user', file: '/u/x/SKILL.md', root: '/u', requires: needsJq },
      { name: 'x', source: 'project', file: '/p/x/SKILL.md', root: '/p', requires: needsJq },
    ];
    assert.deepEqual(outcome(fixtures), {
      '/p/x/SKILL.md': 'unavailable',
      '/u/x/SKILL.md': 'shadowed',
      x: '/p/x/SKILL.md',
    });
  });

  test('within a source the earlier root wins, even when its path is the later one', () => {
    const fixtures: readonly SkillFixture[] = [
      { name: 'x', file: '/z/x/SKILL.md', root: '/z' },
      { name: 'x', file: '/a/x/SKILL.md', root: '/a' },
    ];
    assert.equal(outcome(fixtures)['x'], '/z/x/SKILL.md');
  });

  test('within a root the first path wins, by code units', () => {
    const fixtures: readonly SkillFixture[] = [
      { name: 'x', file: '/skills/b/SKILL.md' },
      { name: 'x', file: '/skills/a/SKILL.md' },
      { name: 'x', file: '/skills/B/SKILL.md' },
    ];
    assert.equal(outcome(fixtures)['x'], '/skills/B/SKILL.md');
  });

  test('the loser names both paths and a way to reach it', () => {
    const { skills, issues, lookup } = registryOf([
      { name: 'x', source: 'user', file: '/u/x/SKILL.md', root: '/u' },
      { name: 'x', source: 'project', file: '/p/x/SKILL.md', root: '/p' },
    ]);
    const loser = skills.find((skill) => skill.status === 'shadowed');
    assert.equal(loser?.file, '/u/x/SKILL.md');
    assert.equal(loser.shadowedBy, '/p/x/SKILL.md');
    assert.equal(lookup.find('user:x'), loser);
    const issue = issues.find(({ code }) => code === 'registry.shadowed');
    assert.equal(issue?.file, '/u/x/SKILL.md');
    assert.match(issue.message, /\/p\/x\/SKILL\.md/);
    assert.match(issue.hint ?? '', /"user:x"/);
  });

  test('invalid entries hide nothing and are found by no name', () => {
    const fixtures: readonly SkillFixture[] = [
      { name: 'x', source: 'explicit', file: '/e/x/SKILL.md', root: '/e', invalid: true },
      { name: 'x', source: 'user', file: '/u/x/SKILL.md', root: '/u' },
      { name: 'y', file: '/skills/y/SKILL.md', invalid: true },
    ];
    assert.deepEqual(outcome(fixtures), {
      '/e/x/SKILL.md': 'invalid',
      '/u/x/SKILL.md': 'ready',
      '/skills/y/SKILL.md': 'invalid',
      x: '/u/x/SKILL.md',
      y: 'nobody',
    });
  });

  test('the list is in the order of names, then paths, by code units', () => {
    const { skills } = registryOf([
      { name: 'b' },
      { name: 'Z', file: '/skills/z/SKILL.md' },
      { name: 'a', file: '/skills/2/SKILL.md' },
      { name: 'a', file: '/skills/1/SKILL.md' },
      { name: 'é' },
    ]);
    assert.deepEqual(
      skills.map((skill) => skill.file),
      [
        '/skills/1/SKILL.md',
        '/skills/2/SKILL.md',
        '/skills/b/SKILL.md',
        '/skills/z/SKILL.md',
        '/skills/é/SKILL.md',
      ],
    );
  });

  test('a snapshot cannot be changed', () => {
    const { skills, issues } = registryOf([{ name: 'a' }]);
    assert.throws(() => (skills as unknown[]).push(1), TypeError);
    assert.throws(() => (issues as unknown[]).push(1), TypeError);
  });
});

describe('two families under one name', () => {
  const fixtures: readonly SkillFixture[] = [
    { name: 'x', family: 'orchestrator', file: '/skills/a/oskill.md' },
    { name: 'x', family: 'code-skill', file: '/skills/b/cskill.md' },
  ];

  test('are two skills; the bare name goes by the order of families', () => {
    assert.deepEqual(outcome(fixtures), {
      '/skills/a/oskill.md': 'ready',
      '/skills/b/cskill.md': 'ready',
      x: '/skills/b/cskill.md',
    });
  });

  test('are each reached with their family', () => {
    const { lookup } = registryOf(fixtures);
    assert.equal(lookup.find('x-orchestrator')?.family, 'orchestrator');
    assert.equal(lookup.find('x-cskill')?.family, 'code-skill');
    assert.equal(lookup.find('project:x')?.family, 'code-skill');
    assert.equal(lookup.find('project:x:2')?.family, 'orchestrator');
  });

  test('the usable one has the bare name', () => {
    const [first, second] = fixtures;
    assert.equal(outcome([first!, { ...second!, requires: needsJq }])['x'], '/skills/a/oskill.md');
  });

  test('each family has a winner of its own', () => {
    const more: readonly SkillFixture[] = [
      ...fixtures,
      { name: 'x', family: 'code-skill', source: 'user', file: '/u/b/cskill.md', root: '/u' },
    ];
    assert.equal(outcome(more)['/u/b/cskill.md'], 'shadowed');
    assert.equal(outcome(more)['/skills/a/oskill.md'], 'ready');
  });
});

describe('bundled names', () => {
  const builtin: SkillFixture = { name: 'read', source: 'bundled', family: 'function', file: '', root: '' };
  const project: SkillFixture = { name: 'read', file: '/skills/read/SKILL.md' };
  const named: SkillFixture = {
    name: 'read',
    source: 'explicit',
    file: '/named/read/oskill.md',
    root: '/named',
    family: 'orchestrator',
  };
  const registered: SkillFixture = { name: 'read', source: 'explicit', file: '', root: '' };

  test('are reserved, whatever the family and the source', () => {
    assert.deepEqual(outcome([builtin, project, named]), {
      'bundled function': 'ready',
      '/skills/read/SKILL.md': 'shadowed',
      '/named/read/oskill.md': 'shadowed',
      read: 'bundled function',
    });
    const { skills, issues, lookup } = registryOf([builtin, project]);
    assert.equal(skills.find((skill) => skill.source === 'project')?.shadowedBy, 'bundled:read');
    assert.match(issues[0]?.message ?? '', /belongs to a bundled skill/);
    assert.equal(lookup.find('project:read')?.source, 'project');
    assert.equal(lookup.find('read-agent-skill')?.source, 'project');
  });

  test('may be replaced by registration in code', () => {
    assert.deepEqual(outcome([registered, builtin, project]), {
      'explicit agent-skill': 'ready',
      'bundled function': 'shadowed',
      '/skills/read/SKILL.md': 'shadowed',
      read: 'explicit agent-skill',
    });
    assert.deepEqual(registryOf([registered, builtin]).issues, [], 'which is no finding: it was meant');
    assert.equal(registryOf([registered, builtin]).lookup.find('bundled:read')?.source, 'bundled');
  });

  test('a skill registered in code that cannot be used replaces nothing', () => {
    assert.equal(outcome([{ ...registered, requires: needsJq }, builtin])['read'], 'bundled function');
  });

  test('may be replaced by a source when the settings name them', () => {
    const world = { skills: { allowOverrideBundled: ['Read'] } };
    assert.deepEqual(outcome([builtin, named], world), {
      '/named/read/oskill.md': 'ready',
      'bundled function': 'shadowed',
      read: '/named/read/oskill.md',
    });
    assert.equal(
      outcome([builtin, project], { skills: { allowOverrideBundled: ['write'] } })['read'],
      'bundled function',
    );
  });

  test('are free when the bundled skill itself may not be used', () => {
    assert.equal(
      outcome([builtin, project], { skills: { allowBundled: [] } })['read'],
      '/skills/read/SKILL.md',
    );
  });
});

describe('names that deceive', () => {
  const honest: SkillFixture = { name: 'deploy', source: 'user', file: '/u/deploy/SKILL.md', root: '/u' };
  const spellings: readonly (readonly [why: string, name: string])[] = [
    ['fullwidth letters', 'ｄｅｐｌｏｙ'],
    ['a zero-width space', 'deploy\u200b'],
    ['a bidirectional override', '\u202edeploy'],
    ['a soft hyphen', 'deploy\u00ad'],
    ['mathematical letters', '𝐝𝐞𝐩𝐥𝐨𝐲'],
    ['letters in circles', 'ⓓⓔⓟⓛⓞⓨ'],
    ['one letter in a circle', 'deploⓨ'],
  ];
  for (const [why, name] of spellings) {
    test(`${why}: flagged, and never shadows, whatever the source and family`, () => {
      for (const family of ['agent-skill', 'table']) {
        const sly: SkillFixture = { name, family, source: 'explicit', file: '/e/1/SKILL.md', root: '/e' };
        const { issues, lookup, skills } = registryOf([sly, honest]);
        assert.equal(lookup.find('deploy')?.file, '/u/deploy/SKILL.md');
        assert.equal(lookup.find(name)?.file, '/u/deploy/SKILL.md');
        assert.equal(skills.find((skill) => skill.source === 'explicit')?.status, 'shadowed');
        assert.ok(issues.some((issue) => issue.code === 'name.deceptive' && issue.file === '/e/1/SKILL.md'));
      }
    });
  }

  test('an honest skill that cannot be used still keeps its name', () => {
    const sly: SkillFixture = { name: 'deploy\u200b', source: 'explicit', file: '/e/1/SKILL.md', root: '/e' };
    assert.equal(outcome([sly, { ...honest, requires: needsJq }])['deploy'], '/u/deploy/SKILL.md');
  });

  for (const [why, name] of [
    ['a Cyrillic letter among Latin ones', 'dерloy'],
    ['a name that is all Cyrillic', 'сору'],
  ] as const) {
    test(`${why}: flagged, and a name of its own`, () => {
      const fixtures: readonly SkillFixture[] = [
        { name: 'deploy' },
        { name: 'copy' },
        { name, source: 'explicit', file: '/e/1/SKILL.md', root: '/e' },
      ];
      const { issues, lookup } = registryOf(fixtures);
      assert.equal(lookup.find('deploy')?.file, '/skills/deploy/SKILL.md');
      assert.equal(lookup.find('copy')?.file, '/skills/copy/SKILL.md');
      assert.equal(lookup.find(name)?.file, '/e/1/SKILL.md');
      assert.ok(issues.some((issue) => issue.code === 'name.deceptive' && issue.file === '/e/1/SKILL.md'));
    });
  }

  test('honest names of any script are not flagged', () => {
    const fixtures = ['данные', '数据', 'résumé', 'naïve-2', 'हिन्दी', 'straße'].map(
      (name): SkillFixture => ({ name }),
    );
    assert.deepEqual(registryOf(fixtures).issues, []);
  });

  test('alone under its name it can be used', () => {
    assert.equal(
      outcome([{ name: 'ｄｅｐｌｏｙ', file: '/e/1/SKILL.md', root: '/e' }])['deploy'],
      '/e/1/SKILL.md',
    );
  });
});

function registryWith(...applicants: readonly Applicant[]): Registry {
  const world = {
    platform: 'linux',
    has: () => true,
    skills: {},
    settings: {},
    environment: () => undefined,
  };
  return buildRegistry(applicants, builtinFamilies, world as never, []);
}

function applicant(name: string): Applicant {
  const skill = defineSkill({ name, description: 'Does it.', run: () => ({ status: 'done', text: '' }) });
  return applicantOf(skill, builtinFamilies, 'explicit');
}

describe('snapshots with one more skill', () => {
  const builds: string[] = [];
  const snapshotWith = createOwnSnapshots((name, own) => {
    builds.push(name);
    return registryWith(own);
  });
  const common = registryWith();

  test('are made once, for as long as the common one stays', () => {
    const one = applicant('one');
    const { registry, skill } = snapshotWith(common, one);
    assert.equal(skill.name, 'one');
    assert.equal(snapshotWith(common, one).registry, registry);
    assert.notEqual(snapshotWith(registryWith(), one).registry, registry);
    assert.deepEqual(builds.splice(0), ['one', 'one']);
  });

  test('of thousands of skills are not all kept: each is as large as the common one', () => {
    const many = Array.from({ length: 100 }, (_, index) => applicant(`many-${index}`));
    for (const one of many) snapshotWith(common, one);
    builds.length = 0;
    for (const one of [...many.slice(-10), ...many.slice(0, 10)]) snapshotWith(common, one);
    assert.deepEqual(
      builds,
      Array.from({ length: 10 }, (_, index) => `many-${index}`),
    );
  });
});
