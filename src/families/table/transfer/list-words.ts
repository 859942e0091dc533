const maxShown = 20;

/**
 * Joins words for a sentence, as in `a, b and c`. Lists at most 20 words, followed by the number of remaining
 * words.
 */
export function listWords(words: readonly string[]): string {
  const shown = words.slice(0, maxShown);
  const last = words.length > maxShown ? `${words.length - maxShown} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last ?? ''}`;
}
