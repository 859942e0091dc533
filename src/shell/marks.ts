/** Words that stand in a script for values that are still to come. */
export interface Marks {
  readonly at: (index: number) => string;
  /** The numbers of the marks in a piece of the script. */
  readonly in: (text: string) => readonly number[];
  /** With a text for each mark. */
  readonly replaced: (text: string, textFor: (index: number) => string) => string;
}

/**
 * Makes marks that occur nowhere in a script, and that a shell reads as part of a word and as nothing else: the full
 * stop keeps them from being names of variables. Pure.
 */
export function createMarks(script: string): Marks {
  const longest = (script.match(/vq+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 1);
  const base = `v${'q'.repeat(longest)}`;
  const pattern = new RegExp(`${base}(\\d+)\\.`, 'g');
  return {
    at: (index) => `${base}${index}.`,
    in: (text) => Array.from(text.matchAll(pattern), ([, number]) => Number(number)),
    replaced: (text, textFor) => text.replace(pattern, (_, number: string) => textFor(Number(number))),
  };
}
