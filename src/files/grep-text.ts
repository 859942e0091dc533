import { longestLine } from './cut-line.ts';

/** A match in a text: its lines, counted from 0, and where it begins in the first of them. */
export interface TextMatch {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** A text by lines, without line ends. */
export function linesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop(); // what comes after the last line end is no line
  return lines;
}

/** The lines that match, at most so many. */
export function matchLines(lines: readonly string[], expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  for (const [index, line] of lines.entries()) {
    if (found.length >= most) break;
    const at = line.search(expression);
    if (at >= 0) found.push({ from: index, to: index, at });
  }
  return found;
}

/** The matches of a global expression, which may reach over line ends, at most so many. */
export function matchText(text: string, expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  let line = 0;
  let start = 0; // of that line
  const goTo = (index: number): void => {
    for (let end = text.indexOf('\n', start); end >= 0 && end < index; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
  };
  for (const match of text.matchAll(expression)) {
    goTo(match.index);
    const from = line;
    const at = match.index - start;
    goTo(match.index + match[0].length - 1);
    found.push({ from, to: line, at });
    if (found.length >= most) break;
  }
  return found;
}

const shownBefore = 200; // characters in front of a match in a line that is too long to show

/** A line that is short enough to show, cut around the place that matched. */
export function cutAround(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = Math.max(0, Math.min(at - shownBefore, line.length - longestLine));
  const end = start + longestLine;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}
