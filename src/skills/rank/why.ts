import type { Request } from './request.ts';
import type { TermIndex } from './term-index.ts';

const mostWords = 6;

/** The words of a prompt that a skill shares, as they are written there, those that tell most first. */
export function sharedWords({ whole, written }: Request, slot: number, index: TermIndex): readonly string[] {
  const shared: { readonly word: string; readonly worth: number }[] = [];
  index.eachTerm(slot, (id) => {
    const [word, worth] = [written.get(id), whole.worth.get(id)];
    if (word !== undefined && worth !== undefined) shared.push({ word, worth });
  });
  const words = shared.sort((a, b) => b.worth - a.worth).map(({ word }) => word);
  return [...new Set(words)].slice(0, mostWords);
}
