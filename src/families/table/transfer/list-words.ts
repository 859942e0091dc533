const mostShown = 20;

/** Words for a sentence, as `a, b and c`; those past the twentieth are only counted. */
export function listWords(words: readonly string[]): string {
  const shown = words.slice(0, mostShown);
  const last = words.length > mostShown ? `${words.length - mostShown} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last ?? ''}`;
}
