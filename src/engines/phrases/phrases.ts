/** Phrases by their first word, longest first, each with its meaning. */
export type Phrases<Meaning = true> = ReadonlyMap<string, readonly Phrase<Meaning>[]>;

interface Phrase<Meaning> {
  readonly words: readonly string[];
  readonly meaning: Meaning;
}

/** A meaning of phrases. */
export type MeaningOf<Row> = Row extends Phrases<infer Meaning> ? Meaning : never;

type Rows = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
type Grammar<All extends Rows> = {
  readonly [Name in keyof All]: All[Name] extends string ? Phrases : Phrases<keyof All[Name] & string>;
};

/** Indexes rows of phrases, which `|` separates. A row with several meanings has an entry for each. */
export function compilePhrases<All extends Rows>(all: All): Grammar<All> {
  const entries = Object.entries(all).map(([name, row]) => {
    const meanings: readonly (readonly [string | true, string])[] =
      typeof row === 'string' ? [[true, row]] : Object.entries(row);
    return [name, indexPhrases(meanings)];
  });
  return Object.fromEntries(entries) as Grammar<All>;
}

function indexPhrases<Meaning>(meanings: readonly (readonly [Meaning, string])[]): Phrases<Meaning> {
  const found = new Map<string, Phrase<Meaning>[]>();
  for (const [meaning, row] of meanings) {
    for (const words of row.split('|').map((phrase) => phrase.split(' '))) {
      const [first = ''] = words;
      found.set(first, [...(found.get(first) ?? []), { words, meaning }]);
    }
  }
  for (const list of found.values()) list.sort((a, b) => b.words.length - a.words.length);
  return found;
}

/** Removes the ending of an English word, so that forms of one word have the same stem. */
export function stem(word: string): string {
  const bare = word.replace(/(?:ing|ed|ly|s|y|e)$/, '').replace(/([^aeiou])\1$/, '$1');
  return bare.length < 3 ? word : bare;
}

/** Returns the plural of an English noun. */
export function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return word.replace(/y$/i, 'ies');
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/** Returns the singular of an English noun. */
export function singular(word: string): string {
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y');
  return word.replace(/(s|x|z|ch|sh)es$/, '$1').replace(/([^s])s$/, '$1');
}
