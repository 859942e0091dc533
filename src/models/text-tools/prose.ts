import { openingFence } from '../../core/model/answer-text.ts';
import { createBareObject } from './bare-object.ts';
import { createBlock } from './block.ts';
import { createFence } from './fence.ts';
import { firstLine, type Mode, type Place, type Reading } from './mode.ts';
import { openingOf, type Opening } from './opening.ts';
import { createTagged, openTag } from './tagged.ts';

/** Outside of blocks: shows text as it comes, but holds what may begin a call. */
export function createProse(reading: Reading, { shown = '', isFirst = false }: Place): Mode {
  let line = shown;
  let isHeld = shown === ''; // nothing of the line is shown yet
  let mayBeBare = isFirst;
  let tail = ''; // may begin a tag

  return {
    take(piece) {
      const [part, rest] = firstLine(piece);
      line += part;
      if (isHeld) {
        if (mayBeBare && /^[ \t]{0,16}\{/.test(line))
          return { rest: line + rest, next: createBareObject(reading) };
        const opening = openingOf(line);
        if (opening === 'maybe') return { rest };
        const next = opening === undefined ? undefined : modeBehind(opening, reading);
        if (opening !== undefined && next !== undefined)
          return { rest: line.slice(opening.head.length) + rest, next };
      }
      const fresh = tail + (isHeld ? line : part);
      isHeld = false;
      const at = fresh.indexOf(openTag);
      if (at >= 0)
        return {
          text: fresh.slice(0, at),
          rest: fresh.slice(at + openTag.length) + rest,
          next: createTagged(),
        };
      tail = beginningOfTag(fresh);
      const text = fresh.slice(0, fresh.length - tail.length);
      if (!part.endsWith('\n')) return { text, rest };
      const fence = openingFence(line.trimEnd());
      mayBeBare &&= line.trim() === '';
      [line, isHeld] = ['', true];
      return fence === undefined ? { text, rest } : { text, rest, next: createFence(fence.marks) };
    },
    end() {
      if (!isHeld) return { text: tail };
      const opening = openingOf(`${line}\n`);
      const isBlock = typeof opening === 'object' && opening.kind !== 'json';
      const next = isBlock ? modeBehind(opening, reading) : undefined;
      return next === undefined ? { text: line } : { next };
    },
  };
}

function modeBehind(opening: Opening, reading: Reading): Mode | undefined {
  if (opening.kind !== 'result') return createBlock(reading, opening);
  return reading.hasCalls ? silence : undefined;
}

/** What follows a result that the model made up is made up too. */
const silence: Mode = { take: () => ({}), end: () => ({}) };

function beginningOfTag(text: string): string {
  const at = text.lastIndexOf('<');
  const end = at < 0 ? '' : text.slice(at);
  return openTag.startsWith(end) ? end : '';
}
