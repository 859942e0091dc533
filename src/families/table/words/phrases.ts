import type { Cursor, NamedTokens } from './cursor.ts';

/** Phrases by their first word, the longest first. */
type Phrases<Meaning> = ReadonlyMap<string, readonly Phrase<Meaning>[]>;

/** The words of a phrase, and what they mean. */
export interface Phrase<Meaning> {
  readonly words: readonly string[];
  readonly meaning: Meaning;
}

/** Makes phrases findable; words are separated by blanks. */
export function buildPhrases<Meaning>(
  ...lists: readonly (readonly [meaning: Meaning, phrases: string])[]
): Phrases<Meaning> {
  const index = new Map<string, Phrase<Meaning>[]>();
  for (const [meaning, phrases] of lists) {
    for (const phrase of phrases.split('|')) {
      const words = phrase.trim().split(' ');
      const first = words[0] ?? '';
      index.set(
        first,
        [...(index.get(first) ?? []), { words, meaning }].sort((a, b) => b.words.length - a.words.length),
      );
    }
  }
  return index;
}

/** The longest phrase at a token. */
export function phraseAt<Meaning>(
  { tokens, index: here }: Cursor,
  phrases: Phrases<Meaning>,
  index = here,
): NamedTokens<Meaning> | undefined {
  const token = tokens[index];
  if (token === undefined || token.kind === 'quoted') return undefined;
  const found = phrases
    .get(token.low)
    ?.find(({ words }) => words.every((word, ahead) => tokens[index + ahead]?.low === word));
  return found && { found: found.meaning, length: found.words.length };
}

/** Steps over the longest phrase at the next token, and gives its meaning. */
export function acceptPhrase<Meaning>(cursor: Cursor, phrases: Phrases<Meaning>): Meaning | undefined {
  const named = phraseAt(cursor, phrases);
  if (named === undefined) return undefined;
  cursor.index += named.length;
  return named.found;
}
