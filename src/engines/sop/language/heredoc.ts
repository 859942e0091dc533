import type { Place } from '../plan.ts';

/** The line or word that begins a text which goes on to its `--end-<tag>--`. */
export interface Opener {
  readonly tag: string;
  readonly place: Place;
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
