// Written by bench/routing/learn-weights.ts; do not edit.
import type { Weights } from './confidence.ts';

/** How much each piece of evidence counts where words alone decide. */
export const byWords: Weights = {
  evidence: {
    words: 6.369,
    share: -7.826,
    coverage: 5.127,
    name: 4.568,
    wholeName: -3.12,
    ask: 2.007,
    pairs: 0.647,
    thin: 2.928,
    thinWords: -4.669,
    meaning: 0,
    nameMeaning: 0,
    thinMeaning: 0,
  },
  signs: {
    amount: 5.915,
    purpose: 2.776,
    sentence: -7.604,
    name: 4.139,
    ask: 0.02,
    general: -1.284,
    thin: 4.081,
    crowd: -0.429,
    always: -4.969,
    nameMeaning: 0,
    nearest: 0,
    surroundings: 0,
  },
  threshold: 0.266,
};

/** How much each piece of evidence counts where meaning decides as well. */
export const byMeaning: Weights = {
  evidence: {
    words: 4.592,
    share: -12.264,
    coverage: 6.438,
    name: 2.73,
    wholeName: -2.219,
    ask: 1.963,
    pairs: 0.62,
    thin: -3.198,
    thinWords: -6.413,
    meaning: 8.277,
    nameMeaning: 3.531,
    thinMeaning: 7.364,
  },
  signs: {
    amount: 4.571,
    purpose: 2.35,
    sentence: -8.811,
    name: 2.277,
    ask: -1.223,
    general: -1.017,
    thin: 3.641,
    crowd: -0.724,
    always: -5.202,
    nameMeaning: 2.847,
    nearest: 4.491,
    surroundings: 9.87,
  },
  threshold: 0.301,
};
