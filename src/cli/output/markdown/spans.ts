import { styleText } from 'node:util';
import { rowsOf, widthOf } from '../text.ts';

/** A style of text, as `node:util` names it. */
export type Style = Extract<Parameters<typeof styleText>[0], string>;

/** A piece of a line in one style. The text has no control characters. */
export interface StyledSpan {
  readonly text: string;
  readonly styles?: readonly Style[];
}

/** Formats the spans of a line, with control sequences only if the output has colours. */
export function paintSpans(spans: readonly StyledSpan[], hasColor: boolean): string {
  return spans.map((span) => paintSpan(span, hasColor)).join('');
}

function paintSpan({ text, styles = [] }: StyledSpan, hasColor: boolean): string {
  if (!hasColor || styles.length === 0 || text === '') return text;
  return styleText([...styles], text, { validateStream: false });
}

/** Returns the number of columns of a line. */
export function widthOfSpans(spans: readonly StyledSpan[]): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/**
 * Wraps spans at spaces into lines of `width` columns. A line break in the text starts a new line. A word that
 * is too long is broken, except an address, which the user may want to copy.
 */
export function wrapSpans(spans: readonly StyledSpan[], width: number): readonly (readonly StyledSpan[])[] {
  const lines: StyledSpan[][] = [[]];
  let used = 0;
  let gap: readonly StyledSpan[] = []; // The space before the next word, unless the line ends there.
  const breakLine = (): void => {
    lines.push([]);
    used = 0;
    gap = [];
  };
  const put = (word: readonly StyledSpan[]): void => {
    const needed = widthOfSpans(word);
    if (used > 0 && used + widthOfSpans(gap) + needed > width) breakLine();
    if (needed > width && !isAddress(word)) return putBroken(word);
    lines.at(-1)?.push(...(used > 0 ? gap : []), ...word);
    used += needed + (used > 0 ? widthOfSpans(gap) : 0);
    gap = [];
  };
  const putBroken = (word: readonly StyledSpan[]): void => {
    for (const { text, styles } of word) {
      for (const character of rowsOf(text, 1)) {
        const columns = widthOf(character);
        if (used + columns > width) breakLine();
        lines.at(-1)?.push({ text: character, ...(styles && { styles }) });
        used += columns;
      }
    }
    gap = [];
  };
  for (const word of wordsOf(spans)) {
    if (word === 'break') breakLine();
    else if (word.every(({ text }) => text === ' ')) gap = word.slice(0, 1);
    else put(word);
  }
  return lines.map(joinAlike);
}

/** Splits spans into words, spaces and line breaks. A word can have several styles. */
function wordsOf(spans: readonly StyledSpan[]): readonly (readonly StyledSpan[] | 'break')[] {
  const words: (StyledSpan[] | 'break')[] = [];
  let word: StyledSpan[] = [];
  const finish = (): void => {
    if (word.length > 0) words.push(word);
    word = [];
  };
  for (const { text, styles } of spans) {
    for (const part of text.split(/(\n| +)/)) {
      if (part === '') continue;
      if (part === '\n' || part.startsWith(' ')) finish();
      if (part === '\n') words.push('break');
      else if (part.startsWith(' ')) words.push([{ text: ' ', ...(styles && { styles }) }]);
      else word.push({ text: part, ...(styles && { styles }) });
    }
  }
  finish();
  return words;
}

function isAddress(word: readonly StyledSpan[]): boolean {
  return word.some(({ text }) => text.includes('://'));
}

/** Joins neighbours of the same style, so that a line has few control sequences. */
function joinAlike(spans: readonly StyledSpan[]): readonly StyledSpan[] {
  const joined: StyledSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    const isAlike = last !== undefined && String(last.styles ?? '') === String(span.styles ?? '');
    if (isAlike) joined[joined.length - 1] = { ...last, text: last.text + span.text };
    else joined.push(span);
  }
  return joined;
}

/** Breaks lines that are wider than `width`, for places where every line must take one row. */
export function breakSpans(
  lines: readonly (readonly StyledSpan[])[],
  width: number,
): readonly (readonly StyledSpan[])[] {
  return lines.flatMap((line) => (widthOfSpans(line) <= width ? [line] : breakLine(line, width)));
}

function breakLine(line: readonly StyledSpan[], width: number): readonly (readonly StyledSpan[])[] {
  const rows: StyledSpan[][] = [[]];
  let used = 0;
  for (const { text, styles } of line) {
    for (const character of rowsOf(text, 1)) {
      if (used + widthOf(character) > width) {
        rows.push([]);
        used = 0;
      }
      rows.at(-1)?.push({ text: character, ...(styles && { styles }) });
      used += widthOf(character);
    }
  }
  return rows.map(joinAlike);
}
