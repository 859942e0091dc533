import { openingFence } from '../../core/index.ts';
import {
  createBareObject,
  createBlock,
  createFence,
  createTagged,
  openTag,
  openingOf,
  type Opening,
} from './blocks.ts';
import {
  beginningsOf,
  firstLine,
  type Mode,
  type ProsePosition,
  type AnswerReading,
  type Taken,
} from './mode.ts';
import type { WrittenCall } from './parse-calls.ts';

/** A part of an answer: either text or a tool call. */
export type AnswerPart = { readonly text: string } | { readonly call: WrittenCall };

/** Parses the tool calls in an answer that arrives in chunks. A chunk may end anywhere. */
export interface CallReader {
  /** Whether a call has been found so far. */
  readonly hasCalls: boolean;
  /** Adds a chunk and returns the parts that can no longer change. */
  push(piece: string): readonly AnswerPart[];
  /** Ends the answer and returns the remaining parts. */
  end(): readonly AnswerPart[];
}

// The maximum number of characters to process at once. It limits how much text is copied for each line.
const stretch = 4096;

/** Creates a reader for one answer. Everything outside calls is text. Runs in linear time. */
export function createCallReader(tools: Iterable<string>): CallReader {
  const known = new Set(tools);
  const reading: AnswerReading = { known, beginnings: beginningsOf(known), hasCalls: false };
  let mode: Mode = createProse(reading, { isFirst: true });
  let found: AnswerPart[] = [];
  let text = '';

  const note = (taken: Taken): void => {
    text += taken.text ?? '';
    for (const call of taken.calls ?? []) {
      flush();
      found.push({ call });
      reading.hasCalls = true;
    }
    const { next = mode } = taken;
    mode = 'take' in next ? next : createProse(reading, next);
  };
  const flush = (): void => {
    if (text !== '') found.push({ text });
    text = '';
  };
  const feed = (piece: string): void => {
    for (let rest = piece; rest !== '';) {
      const taken = mode.take(rest);
      note(taken);
      rest = taken.rest ?? '';
    }
  };
  const given = (): readonly AnswerPart[] => {
    flush();
    const all = found;
    found = [];
    return all;
  };

  return {
    get hasCalls() {
      return reading.hasCalls;
    },
    push(piece) {
      for (let at = 0; at < piece.length; at += stretch) feed(piece.slice(at, at + stretch));
      return given();
    },
    end() {
      for (let last: Taken | undefined; last === undefined || last.next !== undefined;) {
        last = mode.end();
        note(last);
        feed(last.rest ?? '');
      }
      return given();
    },
  };
}

/**
 * Creates the parser mode for text outside blocks. Forwards text, but buffers text that may be the start of
 * a call.
 */
function createProse(reading: AnswerReading, { shown = '', isFirst = false }: ProsePosition): Mode {
  let line = shown;
  let isHeld = shown === ''; // True as long as no text of the current line has been forwarded.
  let mayBeBare = isFirst;
  let tail = ''; // Buffered text that may be the start of a tag.

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

function modeBehind(opening: Opening, reading: AnswerReading): Mode | undefined {
  if (opening.kind !== 'result') return createBlock(reading, opening);
  return reading.hasCalls ? silence : undefined;
}

/** A parser mode that ignores the rest of the answer after a tool result that the model invented. */
const silence: Mode = { take: () => ({}), end: () => ({}) };

function beginningOfTag(text: string): string {
  const at = text.lastIndexOf('<');
  const end = at < 0 ? '' : text.slice(at);
  return openTag.startsWith(end) ? end : '';
}
