import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { agentWith, codeOf, flowFamily, flowText, flowsIn, settled } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { GeneratedCode } from '../../core/family.ts';
import { builtinFamilies } from '../../families/index.ts';
import { defaultSkillLimits } from '../limits.ts';
import { applicantOf, inspectGeneratedCode } from './definition.ts';

test('a descriptor that changed is not used as the one that was registered, even if their checksums are equal', async () => {
  const [before, after] = twoOfOneChecksum();
  using files = tree({ 'skills/deploy/FLOW.md': before });
  await using agent = agentWith({}, flowsIn(files.path, flowFamily()));
  assert.equal((await settled(agent.run({ skill: 'deploy' }).result)).status, 'done');
  writeFileSync(files.at('skills/deploy/FLOW.md'), after);
  assert.equal(codeOf(await settled(agent.run({ skill: 'deploy' }).result)), 'skill.changed');
});

function twoOfOneChecksum(): readonly [string, string] {
  const known = new Map<number, string>();
  for (let number = 0; ; number++) {
    const text = flowText('deploy', `Version ${number.toString(36)}${(number * 7919).toString(36)}.`);
    const twin = known.get(crc32(text));
    if (twin !== undefined) return [twin, text];
    known.set(crc32(text), text);
  }
}

const current: GeneratedCode = {
  status: 'current',
  files: [{ path: 'src/a.ts', status: 'current' }],
  issues: [],
};

describe('what was made of a skill', () => {
  test('depends on its family, its descriptor and its location', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const asked: unknown[] = [];
    const family = flowFamily({
      generation: {
        inspect(...given) {
          asked.push(...given);
          return current;
        },
      },
    });
    const skill = agentWith({}, flowsIn(files.path, family)).skills.resolve('x');
    assert.equal(inspectGeneratedCode(skill, family, defaultSkillLimits), current);
    assert.deepEqual(asked, ['body', files.at('skills/x')]);
  });

  test('is not asked for where the family makes nothing, or the skill has no folder', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const plain = flowFamily();
    const agent = agentWith({ y: async () => ({ status: 'done', text: '' }) }, flowsIn(files.path, plain));
    assert.equal(inspectGeneratedCode(agent.skills.resolve('x'), plain, defaultSkillLimits), undefined);
    const family = flowFamily({ generation: { inspect: () => assert.fail('it is not asked') } });
    assert.equal(inspectGeneratedCode(agent.skills.resolve('y'), family, defaultSkillLimits), undefined);
  });

  test('is unknown where the descriptor is gone, or the family throws', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const family = flowFamily({ generation: { inspect: () => current } });
    const skill = agentWith({}, flowsIn(files.path, family)).skills.resolve('x');
    const broken = flowFamily({
      generation: {
        inspect() {
          throw new Error('no');
        },
      },
    });
    assert.equal(inspectGeneratedCode(skill, broken, defaultSkillLimits), undefined);
    rmSync(files.at('skills/x'), { recursive: true });
    assert.equal(inspectGeneratedCode(skill, family, defaultSkillLimits), undefined);
  });
});

test('the card of a skill defined in code says that its calls run alone, where they do', () => {
  const spec = { name: 'made', description: 'Made.', instructions: 'Do it.' };
  const cardOf = (sequential: boolean | undefined): object =>
    applicantOf(
      defineSkill({ ...spec, ...(sequential === undefined ? {} : { sequential }) }),
      builtinFamilies,
      'explicit',
    ).draft.card;
  assert.deepEqual(cardOf(true), { description: 'Made.', sequential: true });
  assert.deepEqual(cardOf(false), { description: 'Made.' });
  assert.deepEqual(cardOf(undefined), { description: 'Made.' });
});
