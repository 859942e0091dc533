import { stripVTControlCharacters } from 'node:util';

// Controls, line separators, bidirectional overrides and characters without a width of their own.
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Text on one line that a terminal shows as it is: no control sequences, no line ends, nothing that turns the text around. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(steering, ' ').replace(/\s+/g, ' ').trim();
}

/** Text of several lines that a terminal shows as it is: like `oneLine`, but with its line ends and indents. */
export function manyLines(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .split('\n')
    .map((line) => line.replace(steering, ' '))
    .join('\n');
}

/** The columns that a line of text takes in a terminal. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of letters().segment(text)) width += widthOfLetter(segment);
  return width;
}

/** The text cut to so many columns, with an ellipsis where something is lost. */
export function cutTo(text: string, width: number): string {
  if (isPlain(text)) return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
  let taken = 0;
  let end = 0; // where the text ends if it must be cut
  for (const { segment, index } of letters().segment(text)) {
    taken += widthOfLetter(segment);
    if (taken > width) return `${text.slice(0, end)}…`;
    if (taken < width) end = index + segment.length;
  }
  return text;
}

/** The text with blanks behind it, so that it takes at least so many columns. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text in rows of so many columns at most, as a terminal breaks it. */
export function rowsOf(text: string, width: number): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  let taken = 0;
  for (const { segment, index } of letters().segment(text)) {
    const letter = widthOfLetter(segment);
    if (taken + letter > width && index > start) {
      rows.push(text.slice(start, index));
      start = index;
      taken = 0;
    }
    taken += letter;
  }
  return [...rows, text.slice(start)];
}

/** Parts in as few lines as they fit in, with the gap between those that share one; a part that is too wide is cut. */
export function wrapTo(parts: readonly string[], gap: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last}${gap}${part}`;
    if (last !== undefined && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(cutTo(part, width));
  }
  return lines;
}

/** Words in lines of so many columns, all but the first behind an indent; a word that is wider stays whole. */
export function wrapWords(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (widthOf(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}

let segmenter: Intl.Segmenter | undefined; // made on first use: it costs as much as reading fifty skills

function letters(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
}

// Characters that take one column each and never join: ASCII, Latin letters, dots and dashes, lines of trees, marks of states.
const plain = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u203a\u2298\u2500-\u257f\u2713\u2717]*$/;

/** Whether the columns of a text are its characters; most lines can do without the segmenter. */
function isPlain(text: string): boolean {
  return plain.test(text);
}

// East Asian wide and fullwidth characters, by block; emoji are recognised by their property.
const wide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}])/u;

function widthOfLetter(letter: string): number {
  if (wide.test(letter)) return 2;
  return /^[\p{M}\p{Default_Ignorable_Code_Point}]/u.test(letter) ? 0 : 1;
}
