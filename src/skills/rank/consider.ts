import { evidenceFor, type Evidence, type Sentences } from './evidence.ts';
import { largestOf } from './largest.ts';
import { scoreWords } from './lexical.ts';
import type { Meanings } from './meanings.ts';
import type { Request } from './request.ts';
import type { TermIndex } from './term-index.ts';

/** Everything that is known of the skills among which to choose. */
export interface Shelf {
  readonly index: TermIndex;
  sentencesOf(slot: number): Sentences;
  /** The order of what is equal otherwise. */
  compare(a: number, b: number): number;
  readonly meanings: Meanings | undefined;
}

/** A skill that may be meant, and what speaks for it. */
export interface Considered {
  readonly slot: number;
  /** How much was found of the prompt's words. */
  readonly words: number;
  readonly evidence: Evidence;
}

const mostByWords = 60;
const mostByMeaning = 40;
const askCounts = 0.5; // what a word in an asking sentence counts on top

/** The skills worth a closer look: where most words are found, and those that are nearest in meaning. */
export function consider(
  shelf: Shelf,
  request: Request,
  isWanted: (slot: number) => boolean,
  { atLeast = 0, vector }: { readonly atLeast?: number | undefined; readonly vector?: Int8Array | undefined },
): readonly Considered[] {
  const { index, meanings } = shelf;
  const words = scoreWords(request.whole, index);
  const ask = scoreWords(request.ask, index);
  const both = words.map((score, slot) => score + askCounts * (ask[slot] ?? 0));
  const slots = new Set(largestOf(both, Math.max(mostByWords, atLeast), isWanted, shelf.compare));
  if (vector !== undefined && meanings !== undefined)
    for (const slot of meanings.nearest(vector, mostByMeaning, isWanted, shelf.compare)) slots.add(slot);
  const most = {
    mostWords: words.reduce((largest, score) => Math.max(largest, score), 0),
    mostAsk: [...slots].reduce((largest, slot) => Math.max(largest, ask[slot] ?? 0), 0),
  };
  return [...slots].map((slot) => ({
    slot,
    words: words[slot] ?? 0,
    evidence: evidenceFor(slot, shelf.sentencesOf(slot), request, index, {
      ...most,
      words: words[slot] ?? 0,
      ask: ask[slot] ?? 0,
      meaning: vector === undefined ? 0 : (meanings?.nearness('description', slot, vector) ?? 0),
      nameMeaning: vector === undefined ? 0 : (meanings?.nearness('name', slot, vector) ?? 0),
    }),
  }));
}
