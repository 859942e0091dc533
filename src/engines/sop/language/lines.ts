import type { ScriptPosition } from '../index.ts';

// Lines are counted from 0 here, and in places from 1.

/** The first line, from one on, that is wanted; the number of lines where there is none. */
export function findLine(
  lines: readonly string[],
  from: number,
  isWanted: (line: string) => boolean,
): number {
  let index = from;
  while (index < lines.length && !isWanted(lines[index] ?? '')) index++;
  return index;
}

/** Where the comment directly above a step begins; at the step itself where it has none. */
export function findComment(lines: readonly string[], step: number): number {
  let index = step;
  while (step < lines.length && isComment(lines[index - 1] ?? '')) index--;
  return index;
}

/** Where each run of lines that are not allowed begins. */
export function findStray(
  lines: readonly string[],
  from: number,
  to: number,
  isAllowed: (line: string) => boolean,
): readonly ScriptPosition[] {
  const places: ScriptPosition[] = [];
  for (let index = from; index < to; index++) {
    if (isAllowed(lines[index] ?? '')) continue;
    places.push(placeOfLine(lines, index));
    while (index + 1 < to && !isAllowed(lines[index + 1] ?? '')) index++;
  }
  return places;
}

/** Where the first thing in a line stands. */
export function placeOfLine(lines: readonly string[], index: number): ScriptPosition {
  const line = lines[index] ?? '';
  return { line: index + 1, column: line.length - line.trimStart().length + 1 };
}

/** Whether a line begins a step. */
export function isDeclaration(line: string): boolean {
  return line.trimStart().startsWith('@');
}

/** Whether a line is a comment where one may stand. */
export function isComment(line: string): boolean {
  return line.trimStart().startsWith('#');
}

/** Whether there is nothing in a line. */
export function isBlank(line: string): boolean {
  return line.trim() === '';
}

const invisible = /^[\ufeff\u200b-\u200d\u2060]*/;

/**
 * The lines of a script without their ends, which are LF, CRLF or CR. Invisible characters in front of it become
 * blanks, so that columns stay what they are.
 */
export function splitLines(script: string): readonly string[] {
  const hidden = invisible.exec(script)?.[0].length ?? 0;
  const visible = hidden === 0 ? script : ' '.repeat(hidden) + script.slice(hidden);
  return visible.split(/\r\n|\n|\r/);
}

/** The line or word that begins a text which goes on to its `--end-<tag>--`. */
export interface Opener {
  readonly tag: string;
  readonly place: ScriptPosition;
}

/** The tag of `--begin-<tag>--` or `--end-<tag>--`, where a text is one. */
export function tagOf(text: string, which: 'begin' | 'end'): string | undefined {
  const start = `--${which}-`;
  if (!text.startsWith(start) || !text.endsWith('--')) return undefined;
  const tag = text.slice(start.length, -2);
  return /^[\p{L}\p{N}_-]+$/u.test(tag) ? tag : undefined;
}

/** Finds the first end of a tag at or behind a line, counted from 0; must be asked from top to bottom. */
export type FindEnd = (tag: string, from: number) => number | undefined;

/** All searches together take one pass over the lines, however many texts have no end. */
export function createFindEnd(lines: readonly string[]): FindEnd {
  let ends: ReadonlyMap<string, number[]> | undefined;
  return (tag, from) => {
    ends ??= indexEnds(lines);
    const left = ends.get(tag) ?? [];
    while ((left.at(-1) ?? from) < from) left.pop();
    return left.at(-1);
  };
}

/** The lines of each end, the last one first. */
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
