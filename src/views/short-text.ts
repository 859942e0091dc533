/** Text on one line, cut to so many characters with an ellipsis where something is lost. */
export function shortText(text: string, length: number): string {
  const line = text.replace(/[\s\u0085]+/g, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * length + 2)); // a character has up to two code units
  if (characters.length <= length) return line;
  return `${characters.slice(0, Math.max(0, length - 1)).join('')}…`;
}
