import type { Cursor, NamedTokens } from './cursor.ts';

/** Phrases keyed by first word, longest first. */
type Phrases<Meaning> = ReadonlyMap<string, readonly Phrase<Meaning>[]>;

/** A phrase's words and its meaning. */
export interface Phrase<Meaning> {
  readonly words: readonly string[];
  readonly meaning: Meaning;
}

/** Indexes phrases by their first word. Spaces separate the words of a phrase. */
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

/** Returns the longest phrase at a token. */
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

/** Moves past the longest phrase at the next token and returns its meaning. */
export function acceptPhrase<Meaning>(cursor: Cursor, phrases: Phrases<Meaning>): Meaning | undefined {
  const named = phraseAt(cursor, phrases);
  if (named === undefined) return undefined;
  cursor.index += named.length;
  return named.found;
}
