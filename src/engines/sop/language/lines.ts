import type { ScriptPosition } from '../index.ts';

// In this file, line numbers are zero-based. In positions, they are one-based.

/**
 * Returns the index of the first matching line at or after `from`, or the number of lines if none matches.
 */
export function findLine(lines: readonly string[], from: number, isMatch: (line: string) => boolean): number {
  let index = from;
  while (index < lines.length && !isMatch(lines[index] ?? '')) index++;
  return index;
}

/**
 * Returns the index of the first line of the comment directly above a step, or the index of the step's line
 * if it has no comment.
 */
export function findComment(lines: readonly string[], step: number): number {
  let index = step;
  while (step < lines.length && isComment(lines[index - 1] ?? '')) index--;
  return index;
}

/** Returns the start of each group of consecutive lines that `isAllowed` rejects. */
export function findStray(
  lines: readonly string[],
  from: number,
  to: number,
  isAllowed: (line: string) => boolean,
): readonly ScriptPosition[] {
  const positions: ScriptPosition[] = [];
  for (let index = from; index < to; index++) {
    if (isAllowed(lines[index] ?? '')) continue;
    positions.push(lineStart(lines, index));
    while (index + 1 < to && !isAllowed(lines[index + 1] ?? '')) index++;
  }
  return positions;
}

/** Returns the position of the first visible character in a line. */
export function lineStart(lines: readonly string[], index: number): ScriptPosition {
  return { line: index + 1, column: visibleStart(lines[index] ?? '') + 1 };
}

const unseen = /^[\s\p{Default_Ignorable_Code_Point}]*/u;

/** Returns the index of the first character in a line that is neither a space nor invisible. */
export function visibleStart(line: string): number {
  return unseen.exec(line)?.[0].length ?? 0;
}

/** Whether a line begins a step. */
export function isDeclaration(line: string): boolean {
  return line[visibleStart(line)] === '@';
}

/** Whether a line is a comment, assuming that a comment is allowed there. */
export function isComment(line: string): boolean {
  return line[visibleStart(line)] === '#';
}

/** Whether a line has no visible characters. */
export function isBlank(line: string): boolean {
  return visibleStart(line) === line.length;
}

/** Splits a script into lines without their endings: LF, CRLF or CR. */
export function splitLines(script: string): readonly string[] {
  return script.split(/\r\n|\n|\r/);
}

/** The token that starts a block of text. The block ends at `--end-<tag>--`. */
export interface Opener {
  readonly tag: string;
  readonly position: ScriptPosition;
}

/** Returns the tag in `--begin-<tag>--` or `--end-<tag>--`, or undefined for any other text. */
export function tagOf(text: string, which: 'begin' | 'end'): string | undefined {
  const start = `--${which}-`;
  if (!text.startsWith(start) || !text.endsWith('--')) return undefined;
  const tag = text.slice(start.length, -2);
  return /^[\p{L}\p{N}_-]+$/u.test(tag) ? tag : undefined;
}

/**
 * A function that finds the next end tag at or after a zero-based line. Each search must start at the same
 * line as the previous one, or later.
 */
export type FindEnd = (tag: string, from: number) => number | undefined;

/** Creates a function that finds end tags. All searches together scan the lines only once. */
export function createFindEnd(lines: readonly string[]): FindEnd {
  let ends: ReadonlyMap<string, number[]> | undefined;
  return (tag, from) => {
    ends ??= indexEnds(lines);
    const left = ends.get(tag) ?? [];
    while ((left.at(-1) ?? from) < from) left.pop();
    return left.at(-1);
  };
}

/** Returns the line numbers of the end tags, grouped by tag, in descending order. */
function indexEnds(lines: readonly string[]): ReadonlyMap<string, number[]> {
  const ends = new Map<string, number[]>();
  for (let index = lines.length - 1; index >= 0; index--) {
    const tag = tagOf((lines[index] ?? '').trim(), 'end');
    if (tag === undefined) continue;
    const known = ends.get(tag);
    if (known === undefined) ends.set(tag, [index]);
    else known.push(index);
  }
  return ends;
}
