/** Words of a list separated by blanks. */
export function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Words that add nothing where a thing is named. */
export const articles = wordsOf('the a an any our my its their his her this these those');

/** Words that say that all records are meant. */
export const alls = wordsOf('all every each everything everyone anything anyone');

/** What records are called in any table. */
export const nouns = wordsOf('record records row rows entry entries item items ones');

/** Words before the name of a field that add nothing to it. */
export const prepositions = wordsOf('in from of for on at with within inside');

/** Words that begin what records are like. */
export const introducers = wordsOf('where whose which that who with having have has had when');

/** Forms of "to be", which stand before a value or a comparison. */
export const beings = wordsOf('is are was were be being');

/** Words between parts that all hold. */
export const ands = wordsOf('and but & plus');

/** Words for no value. */
export const nothings = wordsOf('null nothing none empty');

/** The sign between items. */
export const comma = wordsOf(',');
/** Signs between parts. */
export const separators = wordsOf(', ;');
/** The word between choices. */
export const ors = wordsOf('or');
/** The word for the opposite. */
export const nots = wordsOf('not');
/** Brackets that open. */
export const opening = wordsOf('( [');
/** Brackets that close. */
export const closing = wordsOf(') ]');
