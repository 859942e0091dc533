import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { WordEmbedder } from '../../../../test/support/embedder.ts';
import { probedSkills } from '../../../../test/support/ranked-skills.ts';
import { tree } from '../../../../test/support/tree.ts';
import { SkillVectors } from '../embeddings.ts';
import type { Searchable } from '../fields.ts';
import { Ranker } from '../ranker.ts';
import { VectorCache } from '../vector-cache.ts';
import { indexInMemory } from './build-index.ts';
import { openIndexFile, writeIndexFile } from './index-file.ts';
import type { StoredIndex } from './stored-index.ts';
import { buildStringTable, findString, stringAt } from './string-table.ts';

const noPause = (): undefined => undefined;

function rankerOf(skills: readonly Searchable[], stored?: StoredIndex, meanings?: SkillVectors): Ranker {
  const ranker = new Ranker(meanings, stored);
  for (const skill of skills) if (!ranker.addStored(skill.name, skill)) ranker.add(skill.name, skill);
  return ranker;
}

/** Returns an index of skills that was built as for a file. */
async function storedOf(skills: readonly Searchable[]): Promise<StoredIndex> {
  return indexInMemory(await rankerOf(skills).build(() => true, noPause));
}

const prompts = probedSkills.map(({ probe }) => probe);

function answers(ranker: Ranker): object {
  return prompts.map((prompt) => ranker.rank(prompt, { limit: 100 }));
}

test('stored index: any strings are found by their numbers and the other way round', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 60 }),
      fc.string(),
      async (all, other) => {
        const strings = all.map((one) => one.toWellFormed());
        fc.pre(new Set(strings).size === strings.length);
        const table = await buildStringTable(strings, noPause);
        for (const [index, one] of strings.entries()) {
          assert.equal(findString(table, one), index);
          assert.equal(stringAt(table, index), one);
        }
        if (!strings.includes(other)) assert.equal(findString(table, other), undefined);
      },
    ),
  );
});

test('stored index: it ranks as an index of the same skills that was just built', async () => {
  const ranker = rankerOf(probedSkills, await storedOf(probedSkills));
  assert.equal(ranker.changes, 0);
  assert.deepEqual(answers(ranker), answers(rankerOf(probedSkills)));
});

test('stored index: copies of a prompt, own skills and meaning count as in an index that was just built', async () => {
  const [prompt = ''] = prompts;
  const copies = Array.from({ length: 30 }, (_, index): Searchable => {
    const body = index % 2 === 0 ? '' : `${prompt} ${index}`;
    return { name: `helper-${index}`, description: `${prompt} ${index}`, body, isOwn: index === 20 };
  });
  const skills = [...copies.slice(0, 10), ...probedSkills, ...copies.slice(10)];
  const stored = await storedOf(skills.filter((_, index) => index % 9 !== 0));
  const plain = rankerOf(skills).weighUp(prompt);
  assert.ok(plain.surplus.length > 20, 'most copies are surplus');
  assert.deepEqual(answers(rankerOf(skills, stored)), answers(rankerOf(skills)));
  const embedder = new WordEmbedder();
  const cache = new VectorCache(undefined, embedder.dimensions, embedder.name);
  const newMeanings = (): SkillVectors => new SkillVectors(embedder, cache);
  const fresh = rankerOf(skills, undefined, newMeanings());
  await fresh.meanings?.learn();
  const again = rankerOf(skills, stored, newMeanings());
  assert.equal(again.meanings?.isComplete, true, 'the same texts have vectors');
  for (const one of prompts) {
    const vector = await again.meanings.read(one);
    assert.deepEqual(again.rank(one, { vector, limit: 100 }), fresh.rank(one, { vector, limit: 100 }));
  }
});

test('stored index: after any changes, and built again, it ranks as one that only ever held what is left', async () => {
  const half = fc.subarray([...probedSkills]);
  await fc.assert(
    fc.asyncProperty(half, half, half, async (before, between, after) => {
      const ranker = rankerOf(between, await storedOf(before));
      await ranker.removeOthers(noPause);
      for (const { name } of between) if (!after.some((skill) => skill.name === name)) ranker.remove(name);
      for (const skill of after) if (!ranker.keys().includes(skill.name)) ranker.add(skill.name, skill);
      const expected = answers(rankerOf(after));
      assert.deepEqual(answers(ranker), expected);
      const again = indexInMemory(await ranker.build(() => true, noPause));
      assert.deepEqual(answers(rankerOf(after, again)), expected);
    }),
    { numRuns: 15 },
  );
});

test('stored index: a file gives what was written, and only to the same key', async () => {
  using folder = tree({});
  const file = folder.at('cache/ranking.bin');
  await writeIndexFile(file, 'key', await rankerOf(probedSkills).build(() => true, noPause), noPause);
  const stored = openIndexFile(file, 'key');
  assert.ok(stored);
  assert.deepEqual(answers(rankerOf(probedSkills, stored)), answers(rankerOf(probedSkills)));
  stored.close();
  assert.equal(openIndexFile(file, 'other key'), undefined);
});

test('stored index: a damaged or truncated file is rejected, at the latest when the damaged part is used', async () => {
  using folder = tree({});
  const file = folder.at('ranking.bin');
  await writeIndexFile(file, 'key', await rankerOf(probedSkills).build(() => true, noPause), noPause);
  const whole = readFileSync(file);
  const expected = answers(rankerOf(probedSkills));
  const tries = Array.from({ length: 60 }, (_, index) => Math.floor((index * whole.length) / 60));
  for (const at of tries) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    for (const bytes of [damaged, whole.subarray(0, at)]) {
      writeFileSync(file, bytes);
      const stored = openIndexFile(file, 'key');
      if (stored === undefined) continue;
      try {
        // The damage may be in a part that no prompt needs.
        assert.deepEqual(answers(rankerOf(probedSkills, stored)), expected, `byte ${at}`);
      } catch (thrown) {
        assert.match(String(thrown), /The index is (?:damaged|truncated)/);
      } finally {
        stored.close();
      }
    }
  }
});
