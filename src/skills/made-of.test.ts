import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { agentWith, flowFamily, flowsIn, flowText } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import type { Made } from '../core/family.ts';
import { defaultSkillLimits } from './limits.ts';
import { madeOf } from './made-of.ts';

const current: Made = { status: 'current', files: [{ path: 'src/a.ts', status: 'current' }], issues: [] };

describe('what was made of a skill', () => {
  test('is what its family says, by what the descriptor says and where it lies', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const asked: unknown[] = [];
    const family = flowFamily({
      inspect(...given) {
        asked.push(...given);
        return current;
      },
    });
    const skill = agentWith({}, flowsIn(files.path, family)).skills.resolve('x');
    assert.equal(madeOf(skill, family, defaultSkillLimits), current);
    assert.deepEqual(asked, ['body', files.at('skills/x')]);
  });

  test('is not asked for where the family makes nothing, or the skill has no folder', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const plain = flowFamily();
    const agent = agentWith({ y: async () => ({ status: 'done', text: '' }) }, flowsIn(files.path, plain));
    assert.equal(madeOf(agent.skills.resolve('x'), plain, defaultSkillLimits), undefined);
    const family = flowFamily({ inspect: () => assert.fail('it is not asked') });
    assert.equal(madeOf(agent.skills.resolve('y'), family, defaultSkillLimits), undefined);
  });

  test('is unknown where the descriptor is gone, or the family throws', () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
    const family = flowFamily({ inspect: () => current });
    const skill = agentWith({}, flowsIn(files.path, family)).skills.resolve('x');
    const broken = flowFamily({
      inspect() {
        throw new Error('no');
      },
    });
    assert.equal(madeOf(skill, broken, defaultSkillLimits), undefined);
    rmSync(files.at('skills/x'), { recursive: true });
    assert.equal(madeOf(skill, family, defaultSkillLimits), undefined);
  });
});
