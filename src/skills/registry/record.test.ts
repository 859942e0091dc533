import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { registryOf } from '../../../test/support/registry.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';

describe('canonical names', () => {
  const cases: readonly (readonly [declared: string, folder: string, name: string])[] = [
    ['read', 'x', 'read'],
    ['Read Me!', 'x', 'read-me'],
    ['  --Deploy--  ', 'x', 'deploy'],
    ['snake_case', 'x', 'snake_case'],
    ['ＦＵＬＬ', 'x', 'full'],
    ['ﬁle', 'x', 'file'],
    ['Café', 'x', 'café'],
    ['cafe\u0301', 'x', 'café'],
    ['数据 分析', 'x', '数据-分析'],
    ['हिन्दी', 'x', 'हिन्दी'],
    ['a.b/c:d', 'x', 'a-b-c-d'],
    ['', 'My Folder', 'my-folder'],
    ['!!!', 'folder', 'folder'],
    ['__proto__', 'x', '__proto__'],
    ['constructor', 'x', 'constructor'],
    ['NO', 'x', 'no'],
  ];
  for (const [declared, folder, name] of cases) {
    test(`${JSON.stringify(declared)} in ${folder} is ${name}`, () => {
      const { skills, lookup } = registryOf([{ name: declared, file: `/skills/${folder}/SKILL.md` }]);
      assert.equal(skills[0]?.name, name);
      assert.equal(lookup.find(name), skills[0]);
    });
  }

  test('with nothing left, a digest of the written name replaces it, and still finds it', () => {
    const { skills, lookup } = registryOf([{ name: '🚀', file: '/skills/🎉/SKILL.md' }]);
    assert.match(skills[0]?.name ?? '', /^skill-[0-9a-f]{8}$/);
    assert.equal(lookup.find('🚀'), skills[0]);
    const again = registryOf([{ name: '🚀', file: '/elsewhere/🎉/SKILL.md', root: '/elsewhere' }]);
    assert.equal(again.skills[0]?.name, skills[0]?.name, 'the same on every machine');
  });
});

describe('aliases', () => {
  test('are the folder, the name as written, the family and its old word, the group and the source', () => {
    const { skills } = registryOf([{ name: 'Daily Report', file: '/skills/office/team a/daily/SKILL.md' }]);
    assert.deepEqual(skills[0]?.aliases, [
      'daily',
      'Daily Report',
      'daily-report-agent-skill',
      'daily-report-anthropic',
      'office/team-a/daily-report',
      'project:daily-report',
    ]);
  });

  test('never repeat the name, and an unnamed group gives none', () => {
    const { skills } = registryOf([{ name: 'x', file: '/skills/!!!/x/SKILL.md', family: 'table' }]);
    assert.deepEqual(skills[0]?.aliases, ['x-table', 'x-dbtable', 'project:x']);
  });

  test('a skill prints as JSON with all that is known of it', () => {
    const { skills } = registryOf([{ name: 'x', requires: { bins: ['jq'] } }]);
    const json = JSON.parse(JSON.stringify(skills[0])) as Record<string, unknown>;
    assert.equal(json['family'], 'agent-skill');
    assert.equal(json['status'], 'unavailable');
    assert.equal(json['file'], '/skills/x/SKILL.md');
    assert.deepEqual(json['aliases'], skills[0]?.aliases);
    assert.ok(Array.isArray(json['missing']));
  });
});

describe('a record', () => {
  test('cannot be changed by those who read it', async () => {
    using files = tree({ 'a/SKILL.md': skillText('a', 'Does a.', 'tags: [x]\nmetadata:\n  k: v\n') });
    const agent = await new RecursiveSkilledAgent({ additionalSkillRoots: [files.path], only: true }).ready();
    const skill = agent.skills.resolve('a');
    assert.throws(() => Object.assign(skill, { name: 'evil' }), TypeError);
    assert.throws(() => Object.assign(skill, { status: 'invalid' }), TypeError);
    for (const target of [skill.card, skill.card.tags, skill.card.metadata, skill.issues]) {
      assert.throws(() => Object.assign(target ?? {}, { description: 'evil', 0: 'evil' }), TypeError);
    }
    assert.deepEqual([skill.name, skill.status, skill.card.description], ['a', 'ready', 'Does a.']);
    assert.match(inspect(skill), /name: 'a'/);
  });

  test('lists no alias that would be read as a qualified name', () => {
    const { skills } = registryOf([{ name: 'explicit:review', file: '/skills/x/SKILL.md' }]);
    assert.ok(skills.every((skill) => !skill.aliases.includes('explicit:review')));
  });
});
