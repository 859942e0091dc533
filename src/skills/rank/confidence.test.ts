import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstByWords } from './confidence.ts';
import type { Evidence } from './evidence.ts';
import { byMeaning } from './learned-weights.ts';

const nothing: Evidence = {
  words: 0,
  share: 0,
  coverage: 0,
  name: 0,
  wholeName: 0,
  ask: 0,
  pairs: 0,
  thin: 0,
  thinWords: 0,
  meaning: 0.3,
  nameMeaning: 0.3,
  thinMeaning: 0,
};
const byName = { evidence: { ...nothing, words: 0.6, meaning: 0.34, nameMeaning: 0.9 } };
const clear = { evidence: { ...nothing, words: 1 } };
const close = { evidence: { ...nothing, words: 0.65 } };

test('a clear match by words is not overruled by meaning among few skills', () => {
  const other = { evidence: { ...byName.evidence, meaning: 0.9 } };
  assert.equal(firstByWords([other, clear], byMeaning, 12), clear);
});

test('a small lead by words gives way to a skill whose description is nearer, not only its name', () => {
  const nearer = { evidence: { ...byName.evidence, meaning: 0.5 } };
  assert.equal(firstByWords([nearer, close], byMeaning, 12), undefined);
  assert.equal(firstByWords([byName, close], byMeaning, 12), close);
});

test('among many skills, and for skills with little text, words alone do not decide', () => {
  assert.equal(firstByWords([byName, clear], byMeaning, 300), undefined);
  const thin = { evidence: { ...clear.evidence, thin: 1 } };
  assert.equal(firstByWords([byName, thin], byMeaning, 12), undefined);
});

test('the first by words and meaning stays if it is the first by words too', () => {
  assert.equal(firstByWords([clear, close], byMeaning, 12), undefined);
  assert.deepEqual([firstByWords([], byMeaning, 12)], [undefined]);
});
