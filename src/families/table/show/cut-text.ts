import { visible } from '../../../core/index.ts';

/**
 * Shortens text to one line of at most `most` characters and removes hidden characters. Shortened text ends
 * with an ellipsis.
 */
export function cutText(text: string, most: number): string {
  const shown = visible(text.length > most * longestSpelling ? text.slice(0, most * longestSpelling) : text);
  const characters = Array.from(shown);
  if (characters.length <= most && text.length <= most * longestSpelling) return shown;
  return `${characters.slice(0, most - 1).join('')}…`;
}

const longestSpelling = 12; // The maximum number of UTF-16 units per character, including combining marks.
