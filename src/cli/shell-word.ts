import { oneLine } from './output/text.ts';

/** A word as it is typed into a shell, in quotes where it needs them; on one line, and safe to print. */
export function shellWord(word: string): string {
  const shown = oneLine(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
