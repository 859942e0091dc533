const known: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Whether a word is an effort that some model is known to take; others are passed on as they are. */
export function isKnownEffort(word: string): boolean {
  return known.includes(word);
}
