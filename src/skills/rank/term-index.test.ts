import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countIn, fields, type FieldTerms } from './fields.ts';
import { largestOf } from './largest.ts';
import { TermIndex } from './term-index.ts';

const vocabulary = ['table', 'row', 'form', 'page', 'invoice', 'log', 'test', 'chart'];
const few = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 });
const skill: fc.Arbitrary<FieldTerms> = fc.record({ name: few, description: few, headings: few, body: few });

/** Returns the entire contents of an index, by term and by the position of each remaining skill. */
function view(index: TermIndex): object {
  const slots = Array.from({ length: index.slots }, (_, slot) => slot).filter((slot) => index.has(slot));
  const names = new Map(vocabulary.map((term) => [index.idOf(term), term]));
  return {
    size: index.size,
    rarities: vocabulary.map((term) => rarityIn(index, term)),
    skills: slots.map((slot) => {
      const terms: Record<string, readonly number[]> = {};
      index.eachTerm(slot, (id, counts) => {
        terms[names.get(id) ?? '?'] = fields.map((_, field) => countIn(counts, field));
      });
      return { terms, lengths: fields.map((_, field) => index.lengthOf(slot, field)) };
    }),
    scores: vocabulary.map((term) => {
      const scores = new Float64Array(index.slots);
      const id = index.idOf(term);
      if (id !== undefined) index.postings.addTo(scores, id, 1);
      return slots.map((slot) => scores[slot]);
    }),
    strays: vocabulary.flatMap((term) => {
      const scores = new Float64Array(index.slots);
      index.postings.addTo(scores, index.idOf(term) ?? 0, 1);
      return [...scores.keys()].filter((slot) => !index.has(slot) && scores[slot] !== 0);
    }),
  };
}

function rarityIn(index: TermIndex, term: string): number {
  const id = index.idOf(term);
  return id === undefined ? index.rarityOfUnknown(term) : index.rarityOf(id);
}

test('term index: after any changes it is as one that only ever held what is left', () => {
  const change = fc.oneof(
    { weight: 3, arbitrary: skill },
    { weight: 2, arbitrary: fc.nat(30).map((remove) => ({ remove })) },
    { weight: 1, arbitrary: fc.constant('look' as const) },
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const index = new TermIndex();
      const left = new Map<number, FieldTerms>();
      for (const each of changes) {
        if (each === 'look') view(index);
        else if ('remove' in each) {
          index.remove(each.remove);
          left.delete(each.remove);
        } else left.set(index.add(each), each);
      }
      const fresh = new TermIndex();
      for (const terms of left.values()) fresh.add(terms);
      assert.deepEqual(view(index), view(fresh));
    }),
    { numRuns: 200 },
  );
});

test('term index: without skills no number is missing', () => {
  const index = new TermIndex();
  for (const filled of [false, true]) {
    if (filled) index.remove(index.add({ name: ['a'], description: [], headings: [], body: [] }));
    assert.equal(index.size, 0);
    assert.ok(Number.isFinite(rarityIn(index, 'a')));
  }
});

test('term index: a skill without terms, and parts that no skill has, give no wrong numbers', () => {
  const index = new TermIndex();
  const empty = index.add({ name: [], description: [], headings: [], body: [] });
  const named = index.add({ name: ['table'], description: [], headings: [], body: [] });
  const scores = new Float64Array(2);
  index.postings.addTo(scores, index.idOf('table') ?? 9, 1);
  assert.equal(scores[empty], 0);
  assert.ok((scores[named] ?? 0) > 0 && (scores[named] ?? 0) <= 1);
});

test('term index: a term that occurs a million times is counted up to the maximum, and others stay correct', () => {
  const index = new TermIndex();
  const many = Array.from({ length: 5_000 }, () => 'table');
  const slot = index.add({
    name: many,
    description: [...many, 'row'],
    headings: many,
    body: ['row', ...many],
  });
  const counts = new Map<number, readonly number[]>();
  index.eachTerm(slot, (id, packed) =>
    counts.set(
      id,
      fields.map((_, field) => countIn(packed, field)),
    ),
  );
  assert.deepEqual(counts.get(index.idOf('row') ?? -1), [0, 1, 0, 1]);
  assert.ok(counts.get(index.idOf('table') ?? -1)?.every((count) => count > 5 && count <= 5_000));
  assert.deepEqual(
    fields.map((_, field) => index.lengthOf(slot, field)),
    [5_000, 5_001, 5_000, 5_001],
  );
});

test('term index: removing twice, or what was never there, changes nothing', () => {
  const index = new TermIndex();
  const slot = index.add({ name: ['table'], description: [], headings: [], body: [] });
  index.add({ name: ['row'], description: [], headings: [], body: [] });
  index.remove(slot);
  const before = view(index);
  index.remove(slot);
  index.remove(99);
  assert.deepEqual(view(index), before);
});

test('term index: the largest scores come in order, as sorting would give them', () => {
  const score = fc.constantFrom(0, -1, 0.5, 1, 2, 3, 4.5);
  fc.assert(
    fc.property(fc.array(score), fc.nat(12), fc.nat(3), (scores, most, leftOut) => {
      const isIncluded = (slot: number): boolean => slot % 4 !== leftOut;
      const sorted = [...scores.keys()]
        .filter((slot) => (scores[slot] ?? 0) > 0 && isIncluded(slot))
        .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      if (most > 0)
        assert.deepEqual(largestOf(Float64Array.from(scores), most, isIncluded), sorted.slice(0, most));
    }),
  );
});
