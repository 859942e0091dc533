import type { WrittenCall } from './parse-calls.ts';

/** What the modes of one answer share. */
export interface AnswerReading {
  /** The names of the tools. */
  readonly known: ReadonlySet<string>;
  /** How calls of them begin. */
  readonly beginnings: readonly string[];
  hasCalls: boolean;
}

/** Where prose goes on: at the start of a line, or behind something on the line that is shown already. */
export interface ProsePosition {
  readonly shown?: string;
  /** Nothing but white space and calls stands before it, so that a bare object may be a call. */
  readonly isFirst?: boolean;
}

/** What a mode made of a piece. */
export interface Taken {
  /** Text that is no call, to be shown. */
  readonly text?: string;
  readonly calls?: readonly WrittenCall[];
  /** What is left of the piece. */
  readonly rest?: string;
  /** What reads on, unless it is this mode. */
  readonly next?: Mode | ProsePosition;
}

/** A way to read an answer at some place of it, such as in prose or in a block. */
export interface Mode {
  /** Reads some of a piece; pieces may be cut anywhere. */
  take(piece: string): Taken;
  /** The answer is over: what was held is decided. */
  end(): Taken;
}

/** The piece up to the end of its line, and the rest. */
export function firstLine(piece: string): readonly [part: string, rest: string] {
  const at = piece.indexOf('\n');
  return at < 0 ? [piece, ''] : [piece.slice(0, at + 1), piece.slice(at + 1)];
}

/** Tells while a JSON text grows whether it begins like a call of one of the tools. */
interface Likeness {
  /** What is known once this piece is there. */
  add(piece: string): 'yes' | 'no' | 'maybe';
}

/** How calls of these tools begin, without white space. */
export function beginningsOf(known: ReadonlySet<string>): readonly string[] {
  const named = [...known].flatMap((name) =>
    ['tool', 'name'].map((key) => `{"${key}":${JSON.stringify(name)}`),
  );
  const others = ['{"input":', '{"arguments":', '{"parameters":', '{"function":', '{"type":"function"'];
  return [...named, ...others].map(squeeze);
}

/** Each piece is looked at once; white space does not count. */
export function createLikeness(beginnings: readonly string[]): Likeness {
  let seen = '';
  return {
    add(piece) {
      seen += squeeze(piece);
      if (beginnings.some((beginning) => seen.startsWith(beginning))) return 'yes';
      return beginnings.some((beginning) => beginning.startsWith(seen)) ? 'maybe' : 'no';
    },
  };
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
