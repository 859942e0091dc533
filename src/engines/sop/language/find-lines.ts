import { isComment } from './line-kind.ts';
import type { Place } from '../plan.ts';

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
): readonly Place[] {
  const places: Place[] = [];
  for (let index = from; index < to; index++) {
    if (isAllowed(lines[index] ?? '')) continue;
    places.push(placeOfLine(lines, index));
    while (index + 1 < to && !isAllowed(lines[index + 1] ?? '')) index++;
  }
  return places;
}

/** Where the first thing in a line stands. */
export function placeOfLine(lines: readonly string[], index: number): Place {
  const line = lines[index] ?? '';
  return { line: index + 1, column: line.length - line.trimStart().length + 1 };
}
