import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { count } from '../../test/stress/count.ts';
import { WordEmbedder } from '../../test/support/embedder.ts';
import { probedSkills } from '../../test/support/ranked-skills.ts';
import { rankedFolder } from '../../test/support/ranking.ts';
import { tree, type Tree } from '../../test/support/tree.ts';

const many = count({ small: 1_000, full: 10_000 });
const longestGap = 500; // milliseconds: generous, for a machine that is busy

/** A folder of the probed skills among many others, each with a body of some length. */
function crowd(): Tree {
  const folder = tree();
  const write = (name: string, description: string, body: string): void => {
    folder.write(
      `skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`,
    );
  };
  for (let index = probedSkills.length; index < many; index++) {
    const word = `thing${(index * 7919) % 997} part${(index * 104_729) % 499}`;
    write(
      `filler-${index}`,
      `Keeps ${word} in stock.`,
      `# Stock\n\n${`Count ${word} and order more. `.repeat(60)}`,
    );
  }
  for (const { name, description, body } of probedSkills) write(name, description, body);
  return folder;
}

/** Does something while a timer runs; tells the longest that the timer had to wait. */
async function gapDuring(work: () => Promise<unknown>): Promise<number> {
  let [last, gap] = [performance.now(), 0];
  const tick = (): void => {
    gap = Math.max(gap, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(tick, 1);
  await work();
  tick();
  clearInterval(timer);
  return gap;
}

function judge(t: TestContext, what: string, gap: number): void {
  t.diagnostic(`${what} of ${many} skills: nobody waits longer than ${gap.toFixed(0)} ms`);
  assert.ok(gap < longestGap, `${what} kept everything waiting for ${gap.toFixed(0)} ms`);
}

test('many skills are indexed in turns, and the right ones are found', async (t) => {
  using folder = crowd();
  const embedder = new WordEmbedder();
  const { skills, ranking, look } = rankedFolder(folder.path, { openEmbedder: () => embedder });
  assert.equal(skills.list().length, many);
  judge(t, 'indexing', await gapDuring(() => skills.rank('thing')));
  let found = 0;
  for (const { name, probe } of probedSkills) {
    const { candidates } = await skills.rank(probe, { limit: 5 });
    if (candidates.some((candidate) => candidate.name === name)) found++;
  }
  t.diagnostic(`among the first five: ${found} of ${probedSkills.length}`);
  assert.ok(found / probedSkills.length >= 0.9);
  judge(t, 'learning', await gapDuring(() => skills.awaitMeanings()));
  assert.equal((await skills.rank('thing')).by, 'meaning');
  folder.write('skills/new/SKILL.md', '---\nname: new\ndescription: Counts zebras.\n---\n');
  look();
  skills.snapshot();
  embedder.learned.length = 0;
  judge(t, 'a change', await gapDuring(() => skills.rank('zebras')));
  await skills.awaitMeanings();
  assert.equal(embedder.learned.length <= 3, true);
  assert.equal((await skills.rank('count zebras')).candidates[0]?.name, 'new');
  await ranking.close();
});
