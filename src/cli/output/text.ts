import { stripVTControlCharacters } from 'node:util';

// Control characters, line separators, bidirectional overrides and zero-width characters.
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff\u{e0000}-\u{e007f}]+/gu;

/**
 * Returns text on one line that is safe for a terminal: without control sequences, line breaks or
 * bidirectional overrides.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(steering, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * Returns multi-line text that is safe for a terminal. Like `oneLine`, but keeps line breaks and indentation.
 */
export function manyLines(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .split('\n')
    .map((line) => line.replace(steering, ' '))
    .join('\n');
}

/** Returns the number of columns that a line of text occupies in a terminal. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of getSegmenter().segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Truncates text to `width` columns and marks the truncation with an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (isPlain(text)) return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
  let taken = 0;
  let end = 0; // The index at which to cut the text if it is too long.
  for (const { segment, index } of getSegmenter().segment(text)) {
    taken += graphemeWidth(segment);
    if (taken > width) return `${text.slice(0, end)}…`;
    if (taken < width) end = index + segment.length;
  }
  return text;
}

/** Pads text with spaces to at least `width` columns. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Splits text into rows of at most `width` columns, as a terminal wraps it. */
export function rowsOf(text: string, width: number): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  let taken = 0;
  for (const { segment, index } of getSegmenter().segment(text)) {
    const columns = graphemeWidth(segment);
    if (taken + columns > width && index > start) {
      rows.push(text.slice(start, index));
      start = index;
      taken = 0;
    }
    taken += columns;
  }
  return [...rows, text.slice(start)];
}

/** Packs items into as few lines as possible, separated by `gap`. An item that is too wide is truncated. */
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

/**
 * Wraps words into lines of `width` columns and indents all lines but the first. A word that is too wide is
 * not cut.
 */
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

// The segmenter is created on first use, because creating it takes as long as reading fifty skills.
let segmenter: Intl.Segmenter | undefined;

function getSegmenter(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
}

// Characters that take one column each and never combine: ASCII, Latin letters, dots, dashes, tree lines and
// status marks.
const plain = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u203a\u2298\u2500-\u257f\u2713\u2717]*$/;

/**
 * Whether every character in the text takes one column. Most lines pass this check and do not need the
 * segmenter.
 */
function isPlain(text: string): boolean {
  return plain.test(text);
}

// East Asian wide and fullwidth characters, by Unicode block. Emoji are recognised by their Unicode property.
const wide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}])/u;

function graphemeWidth(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^[\p{M}\p{Default_Ignorable_Code_Point}]/u.test(grapheme) ? 0 : 1;
}
