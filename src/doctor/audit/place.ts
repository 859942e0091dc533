/** Where a pattern fits, with the text around it; every part is bounded, however long a line is. */
export interface Place {
  readonly index: number;
  /** What fits. */
  readonly found: string;
  /** What fits, with a little before it, for people. */
  readonly shown: string;
  /** What stands before it on its line. */
  readonly before: string;
  /** The lines it stands on. */
  readonly lines: string;
  /** Those, and a few lines before and behind. */
  readonly around: string;
  /** The nearest heading, and the few lines directly above. */
  readonly above: string;
  /** Whether it is dynamic context: a command that runs before a model reads the text. */
  readonly isRun: boolean;
}

/** Letters of a line that are looked at before and behind what fits. */
const reach = 500;
const nearLines = 6;
/** Letters before what fits that people are shown. */
const lead = 40;
/** Letters in which a heading is looked for. */
const headingReach = 2_000;

/** The place of something found in a text at an index. */
export function placeOf(text: string, index: number, found: string): Place {
  const end = index + found.length;
  const from = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - reach);
  const to = Math.min(endOfLine(text, end), end + reach);
  const above = text.slice(Math.max(0, from - headingReach), from);
  return {
    index,
    found,
    shown: text.slice(Math.max(from, index - lead), end),
    before: text.slice(from, index),
    lines: text.slice(from, to),
    around: `${lastLines(above, nearLines)}${text.slice(from, to)}${firstLines(text.slice(to, to + headingReach), nearLines)}`,
    above: leadingTo(above),
    isRun: isDynamic(above, text.slice(from, index)),
  };
}

/** Behind a `` !` `` that is still open, or in a block whose fence is marked with `!`. */
function isDynamic(above: string, before: string): boolean {
  const fence = above.split('\n').findLast((line) => /^\s*(?:`{3}|~{3})/.test(line));
  return fence?.includes('!') === true || /(?<![\w`])!`[^`]*$/.test(before);
}

function endOfLine(text: string, index: number): number {
  const end = text.indexOf('\n', index);
  return end < 0 ? text.length : end;
}

function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .slice(-count - 1)
    .join('\n');
}

function firstLines(text: string, count: number): string {
  return text.split('\n', count + 1).join('\n');
}

function leadingTo(above: string): string {
  const heading = above.split('\n').findLast((line) => /^#{1,6} /.test(line)) ?? '';
  return `${heading}\n${lastLines(above, 3)}`;
}
