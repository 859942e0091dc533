import { findLine, placeOfLine } from './find-lines.ts';
import { tagOf } from './heredoc.ts';
import type { FindEnd, Opener } from './heredoc.ts';
import { isBlank } from './line-kind.ts';
import type { Literal } from '../plan.ts';

/** The texts between tags that follow the first line of a step. */
export interface Heredocs {
  readonly texts: readonly Literal[];
  /** The line behind them, counted from 0. */
  readonly next: number;
  /** The one that has no end, behind those that have. */
  readonly open?: Opener;
}

/** Reads them one after another; `opener` is that of the first line. */
export function readHeredocs(
  lines: readonly string[],
  from: number,
  opener: Opener | undefined,
  findEnd: FindEnd,
): Heredocs {
  const texts: Literal[] = [];
  let next = from;
  for (let open = opener ?? openerAt(lines, next); open !== undefined; open = openerAt(lines, next)) {
    const start = open.place.line; // the line behind it, since these are counted from 0 here
    const end = findEnd(open.tag, start);
    if (end === undefined) return { texts, next, open };
    texts.push({ kind: 'text', text: lines.slice(start, end).join('\n'), place: open.place });
    next = end + 1;
  }
  return { texts, next };
}

/** The opener that is the first thing to follow. */
function openerAt(lines: readonly string[], from: number): Opener | undefined {
  const index = findLine(lines, from, (line) => !isBlank(line));
  const tag = tagOf((lines[index] ?? '').trim(), 'begin');
  return tag === undefined ? undefined : { tag, place: placeOfLine(lines, index) };
}
