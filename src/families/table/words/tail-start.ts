import { fieldAt, isAt, type Cursor } from './cursor.ts';
import { buildPhrases, phraseAt } from './phrases.ts';
import { isNumber } from './read-number.ts';
import { wordsOf } from './vocabulary.ts';

/** Whether words that sort, limit or group a list clearly begin at a token. */
export function isTailAt(cursor: Cursor, index: number): boolean {
  if ((phraseAt(cursor, orderings, index) ?? phraseAt(cursor, ages, index)) !== undefined) return true;
  if (isAt(cursor, index, counted)) {
    const next = isAt(cursor, index + 1, tos) ? index + 2 : index + 1;
    return isNumber(cursor.tokens[next]);
  }
  const grouping = phraseAt(cursor, groupings, index);
  return grouping !== undefined && fieldAt(cursor, index + grouping.length) !== undefined;
}

/** Words that introduce the field to sort a list by. */
export const orderings = buildPhrases<true>([
  true,
  'sort by|sorted by|order by|ordered by|sorting by|ordering by|sort it by|sort them by|arranged by',
]);

/** Phrases such as "newest first", which sort by the table's only date field. */
export const ages = buildPhrases<'up' | 'down'>(
  ['down', 'newest first|latest first|most recent first'],
  ['up', 'oldest first'],
);

/** Words that introduce the field to group records by. */
export const groupings = buildPhrases<true>([
  true,
  'by|per|grouped by|group by|for each|for every|by each|broken down by|split by',
]);

const counted = wordsOf('first last top limit skip offset page');
const tos = wordsOf('to');
