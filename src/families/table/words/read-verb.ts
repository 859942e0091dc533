import type { Comparison } from '../request/request.ts';
import type { Field } from '../table.ts';
import { valuesAt, type Cursor } from './cursor.ts';
import { acceptPhrase, buildPhrases } from './phrases.ts';

/** A comparison as expressed by a verb or symbol. */
export interface Verb {
  readonly is: Comparison;
  readonly isNegated: boolean;
  /** Whether the comparison is `is` or implied, and can be followed by a value, a date or `empty`. */
  readonly isPlain: boolean;
  /** Whether the phrase begins with `from`, which is a comparison only when followed by `to`. */
  readonly isRange: boolean;
}

/**
 * Reads the comparison at the next token and moves past it. Returns undefined if there is none; a listed
 * value of the field is not a comparison.
 */
export function readVerb(cursor: Cursor, field?: Field): Verb | undefined {
  const start = cursor.index;
  const sign = acceptPhrase(cursor, signs);
  if (sign !== undefined) return verb(sign, false, sign === 'equals');
  const support = acceptPhrase(cursor, supports);
  const idiom = support === 'does' ? undefined : acceptPhrase(cursor, idioms);
  if (idiom !== undefined) return verb(idiom, support === 'not', false);
  const negation = acceptPhrase(cursor, negations);
  const isNegated = support === 'not' || negation !== undefined;
  const isValue = valuesAt(cursor)?.found.some((one) => one.field === field) === true;
  const comparison = isValue ? undefined : acceptPhrase(cursor, comparisonPhrases);
  if (comparison !== undefined)
    return verb(comparison === 'range' ? 'between' : comparison, isNegated, false, comparison === 'range');
  const isBare = support === 'does';
  if (isBare || (support === undefined && negation === undefined)) {
    cursor.index = start;
    return undefined;
  }
  return verb('equals', isNegated, true);
}

function verb(is: Comparison, isNegated: boolean, isPlain: boolean, isRange = false): Verb {
  return { is, isNegated, isPlain, isRange };
}

const signs = buildPhrases<Comparison>(
  ['equals', '=|:'],
  ['not-equals', '!='],
  ['less', '<'],
  ['at-most', '<='],
  ['more', '>'],
  ['at-least', '>='],
);

const supports = buildPhrases<'is' | 'not' | 'does'>(
  ['is', 'is|are|was|were|be|being'],
  [
    'not',
    "isn't|aren't|wasn't|weren't|isnt|arent|does not|do not|did not|doesn't|don't|didn't|doesnt|dont|cannot be",
  ],
  ['does', 'does|do|did'],
);

const negations = buildPhrases<true>([true, 'not']);

// These phrases have their own comparisons, because the negation of `more` or `less` would also match missing
// values.
const idioms = buildPhrases<Comparison>(
  ['at-most', 'not more than|not greater than|not later than'],
  ['at-least', 'not less than|not fewer than|not earlier than'],
);

const comparisonPhrases = buildPhrases<Comparison | 'range'>(
  ['equals', 'equals|equal|equal to|exactly|the same as|on|at'],
  ['not-equals', 'other than|different from|anything but'],
  [
    'less',
    'under|below|less than|fewer than|smaller than|lower than|before|earlier than|prior to|cheaper than',
  ],
  ['at-most', 'at most|no more than|up to|until|till|no later than'],
  ['more', 'over|above|more than|greater than|larger than|bigger than|higher than|after|later than'],
  ['at-least', 'at least|no less than|no fewer than|since|no earlier than'],
  ['at-most', 'less than or equal to|less or equal to|smaller than or equal to'],
  ['at-least', 'greater than or equal to|more than or equal to|greater or equal to|larger than or equal to'],
  ['between', 'between'],
  ['range', 'from'],
  ['in', 'in|one of|any of|either|among'],
  ['not-in', 'neither|none of'],
  [
    'contains',
    'contains|contain|includes|include|containing|including|contained|mentions|mention|mentioning',
  ],
  ['starts-with', 'starts with|start with|begins with|begin with|starting with|beginning with'],
  ['ends-with', 'ends with|end with|ends in|ending with|ending in'],
  [
    'empty',
    'unset|missing|blank|absent|has no value|have no value|without value|without a value|without any value',
  ],
  [
    'not-empty',
    'has a value|have a value|has value|has any value|have any value|set|given|known|filled|present|exists|exist|existing',
  ],
);
