import { hasHiddenCharacters } from '../../core/text.ts';

const mostLetters = 120;

/** Text for a report: one line, cut, and everything that cannot be seen as `\u{…}`. */
export function showText(text: string): string {
  const letters = Array.from(
    text
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, mostLetters * 2),
    visible,
  );
  const shown = letters.slice(0, mostLetters).join('');
  return letters.length > mostLetters || shown.length > mostLetters
    ? `${shown.slice(0, mostLetters)}…`
    : shown;
}

function visible(letter: string): string {
  if (!hasHiddenCharacters(letter)) return letter;
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}
