import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { apply, fileChanges } from '../../../test/support/file-changes.ts';
import { viewOf } from '../../../test/support/registry-view.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { SkillRecord } from '../registry/record.ts';

/** Everything that `list`, `show` and `catalog` print about skills. */
async function answersOf(options: AgentOptions): Promise<object> {
  await using agent = new RecursiveSkilledAgent(options);
  const { text, tokens, shown } = await agent.skills.catalog({ limits: { maxSkills: 5 } });
  const code = agent.skills
    .list()
    .flatMap((skill) => (skill instanceof SkillRecord ? agent.skills.hasCodeInDescriptor(skill) : []));
  return { ...viewOf(agent), text, tokens, shown, code };
}

test('after random edits, what a warm start answers equals what a cold one answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fileChanges(8), { minLength: 2, maxLength: 4 }), async (rounds) => {
      using base = tree();
      const options = { startDir: base.at('work'), searchUpwards: false };
      for (const changes of rounds) {
        for (const change of changes) if (change.do !== 'pause') await apply(change, base.at('work'));
        const warm = await answersOf({ ...options, cache: base.at('cache') });
        assert.deepEqual(warm, await answersOf(options));
      }
    }),
    { numRuns: 6 },
  );
});

test('whether a descriptor holds commands is known at the next start, and read again after an edit', async () => {
  using base: Tree = tree({
    'work/skills/a/SKILL.md': `${skillText('a')}\nNow: !\`date\`\n`,
    'work/skills/b/SKILL.md': skillText('b'),
  });
  const options = { startDir: base.at('work'), searchUpwards: false, cache: base.at('cache') };
  const code = async (): Promise<readonly boolean[]> => {
    await using agent = new RecursiveSkilledAgent(options);
    const skills = ['a', 'b'].map((name) => agent.skills.resolve(name) as SkillRecord);
    return skills.map((skill) => agent.skills.hasCodeInDescriptor(skill));
  };
  await pause(150); // older than the resolution of timestamps, so that nothing is in doubt
  assert.deepEqual(await code(), [true, false]);
  assert.deepEqual(await code(), [true, false]);
  base.write('work/skills/a/SKILL.md', skillText('a', 'Does no more.'));
  assert.deepEqual(await code(), [false, false]);
});
