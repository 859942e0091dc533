import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { everydayPrompts, publicSkills } from '../../test/support/everyday-skills.ts';
import { tree } from '../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';

const workshop = join(import.meta.dirname, '..', '..', 'examples', 'workshop');

test('everyday prompts find the right one of forty skills by words, or none if none fits', async (t) => {
  using folder = tree(publicSkills);
  await using agent = new RecursiveSkilledAgent({
    startDir: workshop,
    settings: true,
    additionalSkillRoots: [folder.at('skills')],
    offline: true,
    embeddings: false,
  });
  const among = agent.skills.list().filter(({ source }) => source !== 'bundled');
  const others: string[] = [];
  for (const [prompt, meant] of everydayPrompts) {
    const { candidates, abstain } = await agent.skills.rank(prompt, { among });
    const found = abstain ? '' : (candidates[0]?.name ?? '');
    if (found !== meant) others.push(`${prompt}: "${found}" instead of "${meant}"`);
  }
  for (const other of others) t.diagnostic(other);
  assert.ok(everydayPrompts.length - others.length >= 38, others.join('\n'));
});
