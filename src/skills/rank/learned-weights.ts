// Written by bench/routing/learn-weights.ts; do not edit.
import type { Weights } from './weights.ts';

/** How much each piece of evidence counts where words alone decide. */
export const byWords: Weights = {
  evidence: {
    words: 6.689,
    share: -7.239,
    coverage: 4.755,
    name: 4.336,
    wholeName: -2.999,
    ask: 2.048,
    pairs: 0.566,
    thin: 3.248,
    thinWords: -5.16,
    meaning: 0,
    nameMeaning: 0,
    thinMeaning: 0,
  },
  signs: {
    amount: 5.738,
    purpose: 2.983,
    sentence: -8.376,
    name: 3.522,
    ask: 0.128,
    general: -1.193,
    thin: 4.763,
    crowd: -0.409,
    always: -5.471,
    nearest: 0,
    surroundings: 0,
  },
  threshold: 0.292,
};

/** How much each piece of evidence counts where meaning decides as well. */
export const byMeaning: Weights = {
  evidence: {
    words: 4.983,
    share: -12.058,
    coverage: 6.183,
    name: 2.81,
    wholeName: -2.302,
    ask: 1.949,
    pairs: 0.548,
    thin: -2.267,
    thinWords: -7.037,
    meaning: 7.994,
    nameMeaning: 3.471,
    thinMeaning: 7.809,
  },
  signs: {
    amount: 4.574,
    purpose: 2.377,
    sentence: -8.849,
    name: 2.82,
    ask: -1.044,
    general: -0.86,
    thin: 4.157,
    crowd: -0.711,
    always: -5.503,
    nearest: 5.522,
    surroundings: 9.994,
  },
  threshold: 0.304,
};
