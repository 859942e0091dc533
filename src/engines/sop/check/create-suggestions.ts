import { didYouMean } from '../../../core/names.ts';

// Pairs of characters that are compared in one script, so that a script of unknown words stays cheap to check.
const mostComparisons = 10_000_000;

/** Offers the nearest of some names for a word, or nothing; each word once, and only while that stays cheap. */
export function createSuggestions(names: () => Iterable<string>): (word: string) => string | undefined {
  const made = new Map<string, string | undefined>();
  let candidates: readonly string[] | undefined;
  let characters = 0;
  let left = mostComparisons;
  return (word) => {
    if (made.has(word)) return made.get(word);
    if (candidates === undefined) {
      candidates = [...names()];
      characters = candidates.reduce((sum, name) => sum + name.length, 0);
    }
    left -= word.length * characters;
    const hint = left < 0 ? undefined : didYouMean(word, candidates);
    made.set(word, hint);
    return hint;
  };
}
