import { visible } from '../../../core/index.ts';

/** A text on one line in which nothing hides, and of so many characters at most; one that was cut ends with an ellipsis. */
export function cutText(text: string, most: number): string {
  const shown = visible(text.length > most * longestSpelling ? text.slice(0, most * longestSpelling) : text);
  const letters = Array.from(shown);
  if (letters.length <= most && text.length <= most * longestSpelling) return shown;
  return `${letters.slice(0, most - 1).join('')}…`;
}

const longestSpelling = 12; // characters of text that could be one on the screen, with all that hangs on it
