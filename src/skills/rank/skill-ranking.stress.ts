import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { WordEmbedder } from '../../../test/support/embedder.ts';
import { probedSkills } from '../../../test/support/ranked-skills.ts';
import { rankedFolder } from '../../../test/support/ranking.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 1_000, full: 10_000 });

/** Creates a folder with the probed skills among many others, which have long bodies. */
function crowd(many: number): Tree {
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

/** Runs work and resolves to the number of event loop iterations in the meantime. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    if (isOver) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

test('many skills are indexed in turns, and the right ones are found', async (t) => {
  await loop.sizes(async (many) => {
    const fewestTurns = many / 500;
    using folder = crowd(many);
    const embedder = new WordEmbedder();
    const { skills, ranking, look } = rankedFolder(folder.path, { openEmbedder: () => embedder });
    assert.equal(skills.list().length, many);
    const turns = await turnsDuring(() => skills.rank('thing'));
    assert.ok(turns >= fewestTurns, `others got ${turns} turns while ${many} skills were indexed`);
    let found = 0;
    for (const { name, probe } of probedSkills) {
      const { candidates } = await skills.rank(probe, { limit: 5 });
      if (candidates.some((candidate) => candidate.name === name)) found++;
    }
    t.diagnostic(`among the first five: ${found} of ${probedSkills.length}`);
    assert.ok(found / probedSkills.length >= 0.9);
    const learning = await turnsDuring(() => skills.awaitMeanings());
    assert.ok(learning >= fewestTurns, `others got ${learning} turns while the meanings were learned`);
    assert.equal((await skills.rank('thing')).by, 'meaning');
    folder.write('skills/new/SKILL.md', '---\nname: new\ndescription: Counts zebras.\n---\n');
    look();
    skills.snapshot();
    embedder.learned.length = 0;
    await skills.rank('zebras');
    await skills.awaitMeanings();
    assert.equal(embedder.learned.length <= 3, true);
    assert.equal((await skills.rank('count zebras')).candidates[0]?.name, 'new');
    await ranking.close();
  });
});
