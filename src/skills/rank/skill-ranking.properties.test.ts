import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { anyCharacter } from '../../testing/garbage.ts';
import type { Searchable } from './fields.ts';
import { Ranker } from './ranker.ts';

const { size } = openLoops(import.meta);
const runs = { numRuns: size({ small: 150, full: 3000 }) };
const vocabulary =
  'table row chart invoice customer release note test server log image video query index form page mail trip'.split(
    ' ',
  );
const fillers = [
  'the',
  'of',
  'and',
  'For',
  'see',
  'not',
  'use',
  '.',
  '?',
  '\n',
  '# ',
  '```\n',
  '表格',
  '図表',
  'C++',
  'é',
];
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...vocabulary) },
  { weight: 1, arbitrary: fc.constantFrom(...fillers) },
);
const text = (most: number): fc.Arbitrary<string> =>
  fc.array(piece, { maxLength: most }).map((pieces) => pieces.join(' '));
const name = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 })
  .map((words) => words.join('-'));
const skill: fc.Arbitrary<Searchable> = fc.record({
  name,
  description: text(14),
  whenToUse: fc.option(text(6), { nil: undefined }),
  body: text(30),
});
const prompt = text(14);
const collection = fc.array(skill, { maxLength: 12 });

function rankerOf(skills: Iterable<readonly [string, Searchable]>): Ranker {
  const ranker = new Ranker();
  for (const [key, each] of skills) ranker.add(key, each);
  return ranker;
}

test('rank: after any changes a ranker answers as one that only ever held what is left', () => {
  const change = fc.record({
    key: fc.nat(9).map(String),
    skill: fc.option(skill, { nil: undefined }),
    asked: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), prompt, (changes, words) => {
      const ranker = new Ranker();
      const left = new Map<string, Searchable>();
      for (const { key, skill: added, asked } of changes) {
        ranker.remove(key);
        left.delete(key);
        if (added !== undefined) {
          ranker.add(key, added);
          left.set(key, added);
        }
        if (asked) ranker.rank(words);
      }
      assert.deepEqual(ranker.rank(words, { limit: 100 }), rankerOf(left).rank(words, { limit: 100 }));
    }),
    runs,
  );
});

test('rank: few skills come in one order, in whatever order they were added', () => {
  fc.assert(
    fc.property(collection, prompt, (skills, words) => {
      const entries = skills.map((each, index) => [`${index}`, each] as const);
      const forwards = rankerOf(entries).rank(words, { limit: 100 });
      const backwards = rankerOf(entries.toReversed()).rank(words, { limit: 100 });
      assert.deepEqual(
        backwards.ranked.map(({ key }) => key),
        forwards.ranked.map(({ key }) => key),
      );
    }),
    runs,
  );
});

test('rank: any skills and any prompt give true scores, each skill once, and the words of the prompt', () => {
  fc.assert(
    fc.property(
      collection,
      fc.oneof(prompt, fc.string({ unit: anyCharacter })),
      fc.nat(15),
      (skills, words, limit) => {
        const ranker = rankerOf(skills.map((each, index) => [`${index}`, each] as const));
        const { ranked, threshold } = ranker.rank(words, { limit });
        assert.ok(ranked.length <= limit);
        assert.equal(new Set(ranked.map(({ key }) => key)).size, ranked.length);
        assert.ok(threshold > 0 && threshold < 1);
        const best = ranked[0]?.score ?? 0;
        for (const { score } of ranked) assert.ok(score > 0 && score <= 1 && score <= best);
        for (const { why } of ranked) assert.ok(why.length <= 6);
      },
    ),
    runs,
  );
});

test('rank: a part of the skills as candidates is that part of the whole order, clones aside', () => {
  fc.assert(
    fc.property(collection, prompt, (skills, words) => {
      const ranker = rankerOf(
        skills.map((each, index) => [
          `${index}`,
          { ...each, description: `${each.description} ${'xyz'.repeat(index)}` },
        ]),
      );
      const among = (key: string): boolean => Number(key) % 2 === 0;
      const all = ranker.rank(words, { limit: 100 }).ranked.map(({ key }) => key);
      const some = ranker.rank(words, { limit: 100, among }).ranked.map(({ key }) => key);
      assert.deepEqual(new Set(some), new Set(all.filter(among)));
    }),
    runs,
  );
});
