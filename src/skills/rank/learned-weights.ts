import type { Weights } from './weights.ts';

/** Learned for words alone. */
export const byWords: Weights = {
  evidence: { words: 4.65, share: -2.09, coverage: 6.08, name: 4.07, wholeName: -2.56, ask: 1.67, pairs: 0.83, thin: 1, thinWords: -4.87, meaning: 0, nameMeaning: 0, thinMeaning: 0 },
  signs: { amount: 1, purpose: 1, sentence: -1, general: -1, surroundings: 0, always: 0 },
  threshold: 0.5,
};

/** Learned for words and meaning together. */
export const byMeaning: Weights = {
  evidence: { words: 4.41, share: -10.34, coverage: 6.8, name: 2.28, wholeName: -1.74, ask: 1.83, pairs: 0.63, thin: -3.79, thinWords: -6.36, meaning: 7.58, nameMeaning: 3.1, thinMeaning: 9.24 },
  signs: { amount: 1, purpose: 1, sentence: -1, general: -1, surroundings: 1, always: 0 },
  threshold: 0.5,
};
