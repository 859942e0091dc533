import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { WordEmbedder } from '../../../test/support/embedder.ts';
import { rankedFolder, type RankedFolder } from '../../../test/support/ranking.ts';
import { tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { evidenceWeights } from './confidence.ts';
import { byMeaning, byWords } from './learned-weights.ts';

const size = 2_100; // More than the number of skills that are all encoded.

/** Creates a registry of many skills. One in a hundred is about trips. */
function largeRegistry(path: string, file?: string): RankedFolder & { readonly embedder: WordEmbedder } {
  const embedder = new WordEmbedder();
  const ranked = rankedFolder(path, {
    openEmbedder: () => embedder,
    ...(file !== undefined && { indexFile: () => ({ file, key: 'key', mayStore: () => true }) }),
  });
  for (let index = 0; index < size; index++) {
    const about = index % 100 === 0 ? 'Plans trips by train' : 'Draws charts of sales';
    ranked.skills.register(
      defineSkill({
        name: `skill-${index}`,
        description: `${about} number ${index}.`,
        instructions: 'Do it.',
      }),
    );
  }
  return { ...ranked, embedder };
}

describe('a collection that is too large to encode', () => {
  test('is ranked by meaning at once: only the skills that fit best by words are encoded', async () => {
    using folder = tree();
    const { skills, embedder } = largeRegistry(folder.path);
    const { by, candidates } = await skills.rank('trips by train', { limit: 30 });
    assert.equal(by, 'meaning');
    assert.deepEqual(embedder.learned, [], 'nothing is encoded in the background');
    const encoded = embedder.asked.filter((text) => text.startsWith('Plans trips'));
    assert.ok(encoded.length >= 10 && encoded.length <= 20, `${encoded.length}`);
    assert.ok(embedder.asked.length <= 20 * 3 + 1, `${embedder.asked.length}`);
    assert.ok(candidates.slice(0, 20).every(({ why }) => why.includes('trips')));
    assert.ok(candidates.every(({ score }, index) => score <= (candidates[index - 1]?.score ?? 1)));
  });

  test('encodes no skill that is far weaker by words than the first', async () => {
    using folder = tree();
    const { skills, embedder } = largeRegistry(folder.path);
    const { candidates } = await skills.rank('trips by train number 700');
    assert.equal(candidates[0]?.name, 'skill-700');
    const encoded = embedder.asked.filter((text) => text.startsWith('Plans trips'));
    assert.ok(encoded.length < 20, `${encoded.length}`);
  });

  test('encodes a skill once, and then only the prompt', async () => {
    using folder = tree();
    const { skills, embedder } = largeRegistry(folder.path);
    const first = await skills.rank('trips by train');
    const before = embedder.asked.length;
    assert.deepEqual(await skills.rank('trips by train'), first);
    assert.deepEqual(embedder.asked.slice(before), ['trips by train']);
  });

  test('is ranked by words where nothing may be encoded, and if the encoder fails', async () => {
    using folder = tree();
    const { skills, embedder } = largeRegistry(folder.path);
    assert.equal((await skills.rank('trips by train', { learn: false })).by, 'words');
    assert.deepEqual(embedder.asked, []);
    embedder.failure = new Error('out of order');
    assert.equal((await skills.rank('trips by train')).by, 'words');
    assert.ok(skills.diagnostics().some(({ code }) => code === 'rank.by-words'));
  });

  test('is ranked by meaning from a stored index too, even if a part of the file is damaged', async () => {
    using folder = tree();
    const file = folder.at('ranking.bin');
    const prompt = 'the number of trips by train';
    const first = largeRegistry(folder.path, file);
    const expected = await first.skills.rank(prompt);
    await first.ranking.close();
    const second = largeRegistry(folder.path, file);
    assert.deepEqual(await second.skills.rank(prompt), expected);
    assert.deepEqual(second.embedder.asked.toSorted(), first.embedder.asked.toSorted());
    await second.ranking.close();
    const bytes = readFileSync(file);
    const everySkill = Buffer.from(Uint32Array.from({ length: size }, (_, slot) => slot).buffer);
    // The lists of skills that contain a common term, such as "number". Only a ranking reads them.
    for (let at = bytes.indexOf(everySkill); at >= 0; at = bytes.indexOf(everySkill, at))
      bytes.fill(0xff, at, at + 40);
    writeFileSync(file, bytes);
    const third = largeRegistry(folder.path, file);
    const [one, two] = await Promise.all([third.skills.rank(prompt), third.skills.rank(prompt)]);
    assert.deepEqual([one, two], [expected, expected]);
    assert.deepEqual(third.skills.diagnostics(), first.skills.diagnostics());
    await third.ranking.close();
  });

  test('has nothing to wait for before a ranking, but can be encoded as a whole', async () => {
    using folder = tree();
    const { skills, embedder } = largeRegistry(folder.path);
    assert.equal(await skills.awaitMeanings({ most: 60 }), 0);
    assert.deepEqual(embedder.learned, []);
  });
});

test('evidence weighs gradually more like in a large collection as a collection grows', () => {
  const { evidence, few } = byMeaning;
  assert.ok(few !== undefined);
  assert.deepEqual(evidenceWeights(byMeaning, 1), few);
  assert.deepEqual(evidenceWeights(byMeaning, 30), few);
  assert.deepEqual(evidenceWeights(byMeaning, 1_460), evidence);
  const between = evidenceWeights(byMeaning, 100).words;
  assert.ok(between > Math.min(few.words, evidence.words) && between < Math.max(few.words, evidence.words));
  assert.deepEqual(evidenceWeights(byWords, 8), byWords.evidence);
});
