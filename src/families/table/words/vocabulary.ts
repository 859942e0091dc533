/** Splits a list of words at spaces. */
export function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Determiners before a noun that add no meaning. */
export const articles = wordsOf('the a an any our my its their his her this these those');

/** Words that mean all records. */
export const alls = wordsOf('all every each everything everyone anything anyone');

/** Nouns that mean records in any table. */
export const nouns = wordsOf('record records row rows entry entries item items ones');

/** Words before a field name that add no meaning. */
export const prepositions = wordsOf('in from of for on at with within inside');

/** Words that introduce a description of records. */
export const introducers = wordsOf('where whose which that who with having have has had when');

/** Forms of "to be" before a value or a comparison. */
export const beings = wordsOf('is are was were be being');

/** Words that join conditions that must all be true. */
export const ands = wordsOf('and but & plus');

/** Words that mean no value. */
export const nothings = wordsOf('null nothing none empty');

/** The comma between list items. */
export const comma = wordsOf(',');
/** The punctuation between parts of a request. */
export const separators = wordsOf(', ;');
/** The word that joins alternatives. */
export const ors = wordsOf('or');
/** The word for negation. */
export const nots = wordsOf('not');
/** Opening brackets. */
export const opening = wordsOf('( [');
/** Closing brackets. */
export const closing = wordsOf(') ]');
