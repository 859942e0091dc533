/** Words as one text from which the same words can be read again: each that would fall apart stands in quotes. Pure. */
export function argumentText(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** In the quotes that need no backslash, where there are such. */
function quoted(word: string): string {
  if (/^[^\s"'\\]+$/.test(word)) return word;
  if (!/["\\]/.test(word)) return `"${word}"`;
  return word.includes("'") ? `"${word.replace(/["\\]/g, '\\$&')}"` : `'${word}'`;
}
