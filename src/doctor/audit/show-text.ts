import { hasHiddenCharacters } from '../../core/hidden.ts';

const mostLetters = 120;

/** Text for a report: one line, cut, and everything that cannot be seen as `\u{…}`. */
export function showText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = Array.from(line.slice(0, mostLetters * 2)).slice(0, mostLetters);
  const shown = letters.map((letter) => (hasHiddenCharacters(letter) ? escaped(letter) : letter)).join('');
  return shown.length > mostLetters || letters.length < line.length
    ? `${shown.slice(0, mostLetters)}…`
    : shown;
}

function escaped(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}
