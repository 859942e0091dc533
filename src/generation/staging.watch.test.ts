import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, onlyEvents } from '../../test/support/followed.ts';
import { generate, recipe, statuses } from '../../test/support/generation-stage.ts';
import { skillsAt } from '../../test/support/look.ts';
import { eventually } from '../../test/support/deadline.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { writeFailure } from './status.ts';
import { openStaging } from './staging.ts';
import { withGeneration } from './lock.ts';

const specs = { 'skills/sum/SKILL.md': skillText('sum'), 'skills/sum/specs/index.md': '# Index' };

test('files of a generation next to a bundle are not skills, and do not start a scan', async () => {
  using base = tree(specs);
  const dir = base.at('skills/sum');
  await generate(dir);
  let looks = 0;
  const roots = (): readonly [ReturnType<typeof skillsAt>] => {
    looks += 1;
    return [skillsAt(base.at('skills'))];
  };
  await using at = await follow(roots, onlyEvents);
  const names = (): readonly string[] => at.last().discovered.map(({ draft }) => draft.name);
  const before = looks;
  for (let round = 0; round < 20; round++) {
    await withGeneration(dir, { signal: new AbortController().signal }, async () => {
      using staging = openStaging(dir);
      staging.write('index.ts', `// ${round}`);
      const error = { code: 'skill.failed', message: 'It does not compile.' } as const;
      writeFailure(dir, { inputs: recipe.generator, at: 0, runId: 'r', error });
      if (round === 0) await at.watching.look();
      assert.deepEqual(names(), ['sum']);
    });
  }
  base.write('skills/last/SKILL.md', skillText('last'));
  await eventually(() => assert.deepEqual(names(), ['last', 'sum']));
  assert.ok(looks - before < 10, `${looks - before} looks`);
  assert.equal(at.touched.size, 0);
});

test('new code in its place is seen as a change of its skill', async () => {
  using base = tree(specs);
  await using at = await follow([skillsAt(base.at('skills'))], onlyEvents);
  await generate(base.at('skills/sum'));
  await eventually(() => assert.deepEqual([...at.touched], [base.at('skills/sum/SKILL.md')]));
  assert.deepEqual(statuses(base.at('skills/sum')), { 'index.ts': 'current' });
});
