// Written by bench/routing/learn-weights.ts; do not edit.
import type { Weights } from './weights.ts';

/** How much each piece of evidence counts where words alone decide. */
export const byWords: Weights = {
  evidence: {
    words: 6.72,
    share: -7.323,
    coverage: 4.842,
    name: 4.307,
    wholeName: -2.953,
    ask: 2.043,
    pairs: 0.566,
    thin: 3.646,
    thinWords: -5.449,
    meaning: 0,
    nameMeaning: 0,
    thinMeaning: 0,
  },
  signs: {
    amount: 4.67,
    purpose: 2.708,
    sentence: -6.46,
    name: 2.695,
    ask: -0.529,
    general: -2.763,
    always: -6.746,
    surroundings: 0,
  },
  threshold: 0.31,
};

/** How much each piece of evidence counts where meaning decides as well. */
export const byMeaning: Weights = {
  evidence: {
    words: 5.003,
    share: -12.29,
    coverage: 6.174,
    name: 2.714,
    wholeName: -2.222,
    ask: 1.992,
    pairs: 0.544,
    thin: -2.154,
    thinWords: -7.141,
    meaning: 8.063,
    nameMeaning: 3.466,
    thinMeaning: 7.884,
  },
  signs: {
    amount: 3.787,
    purpose: 2.445,
    sentence: -6.619,
    name: 1.958,
    ask: -1.571,
    general: -2.269,
    always: -9.866,
    surroundings: 16.322,
  },
  threshold: 0.442,
};
