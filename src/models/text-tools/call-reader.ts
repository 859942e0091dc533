import { beginningsOf } from './likeness.ts';
import type { Mode, Reading, Taken } from './mode.ts';
import { createProse } from './prose.ts';
import type { WrittenCall } from './read-calls.ts';

/** What an answer holds, in its order. */
export type Found = { readonly text: string } | { readonly call: WrittenCall };

/** Reads calls out of an answer that comes in pieces, cut anywhere. */
export interface CallReader {
  /** Whether there was one so far. */
  readonly hasCalls: boolean;
  /** What is decided now that this piece is there. */
  push(piece: string): readonly Found[];
  /** The rest. */
  end(): readonly Found[];
}

const stretch = 4096; // characters; what is left of a stretch may be copied for each line of it

/** A reader for one answer: texts join to what stands outside of calls. Linear in the length of the answer. */
export function createCallReader(tools: Iterable<string>): CallReader {
  const known = new Set(tools);
  const reading: Reading = { known, beginnings: beginningsOf(known), hasCalls: false };
  let mode: Mode = createProse(reading, { isFirst: true });
  let found: Found[] = [];
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
  const given = (): readonly Found[] => {
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
