import type { Pattern } from '../pattern.ts';

const id = 'hidden-text';
const what = 'The line holds characters that a person cannot see and a model can.';
const hint = 'Delete them, or leave the file out.';

/** What a reader does not see, or takes for something else. */
export const hiddenTextPatterns: readonly Pattern[] = [
  {
    id,
    severity: 'high',
    what,
    hint,
    // Letters of the tags block, beyond those with which the flags of regions are written.
    find: /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0000}-\u{e007f}]{1,200}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,200}|[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u3164\uffa0]{6,200}/gu,
  },
  {
    id,
    severity: 'high',
    what: 'The line holds characters that turn text around, so that it reads otherwise than it runs.',
    hint,
    find: /[\u202a-\u202e\u2066-\u2069]/g,
    unless: /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u,
  },
  {
    id,
    severity: 'medium',
    what: 'A word is split by a character that cannot be seen.',
    hint,
    find: /[A-Za-z]{2}[\u200b-\u200d\u2060-\u2064\u00ad\ufeff]{1,20}[A-Za-z]{2}/g,
  },
  {
    id: 'look-alike',
    severity: 'medium',
    what: 'A word mixes Latin letters with letters of another script that look the same.',
    hint: 'Type the word anew, and see where it stood.',
    find: /(?<![\p{L}\p{N}])(?=[асеорхуіѕјһԁ]{0,40}[A-Za-z])(?=[A-Za-z]{0,40}[асеорхуіѕјһԁ])[A-Za-zасеорхуіѕјһԁ]{3,40}(?![\p{L}])/gu,
  },
];
