import type { WrittenCall } from './parse-calls.ts';

/** The state shared by the parser modes of one answer. */
export interface AnswerReading {
  /** The names of the tools. */
  readonly known: ReadonlySet<string>;
  /** The possible beginnings of tool calls, without white space. */
  readonly beginnings: readonly string[];
  hasCalls: boolean;
}

/**
 * The position from which prose is read: the start of a line, or the point after text that has already been
 * forwarded.
 */
export interface ProsePosition {
  readonly shown?: string;
  /** Whether only white space and calls precede this position. If so, an unfenced object may be a call. */
  readonly isFirst?: boolean;
}

/** The result of reading a chunk. */
export interface Taken {
  /** Text outside of calls, which can be forwarded. */
  readonly text?: string;
  readonly calls?: readonly WrittenCall[];
  /** The unread rest of the chunk. */
  readonly rest?: string;
  /** The next mode, if the mode changes. */
  readonly next?: Mode | ProsePosition;
}

/** A parser mode for part of an answer, such as prose or a block. */
export interface Mode {
  /** Reads part of a chunk. The answer may be split into chunks anywhere. */
  take(piece: string): Taken;
  /** Ends the answer and decides whether the buffered text is a call. */
  end(): Taken;
}

/** Splits a chunk of text after its first line. */
export function firstLine(piece: string): readonly [part: string, rest: string] {
  const at = piece.indexOf('\n');
  return at < 0 ? [piece, ''] : [piece.slice(0, at + 1), piece.slice(at + 1)];
}

/** Decides whether JSON text that arrives in chunks starts like a tool call. */
interface Likeness {
  /** Adds a chunk and returns whether the text so far starts like a call. */
  add(piece: string): 'yes' | 'no' | 'maybe';
}

/** Returns the possible beginnings of calls to the given tools, with white space removed. */
export function beginningsOf(known: ReadonlySet<string>): readonly string[] {
  const named = [...known].flatMap((name) =>
    ['tool', 'name'].map((key) => `{"${key}":${JSON.stringify(name)}`),
  );
  const others = ['{"input":', '{"arguments":', '{"parameters":', '{"function":', '{"type":"function"'];
  return [...named, ...others].map(squeeze);
}

/** Creates a matcher that reads each chunk only once and ignores white space. */
export function createLikeness(beginnings: readonly string[]): Likeness {
  let received = '';
  return {
    add(piece) {
      received += squeeze(piece);
      if (beginnings.some((beginning) => received.startsWith(beginning))) return 'yes';
      return beginnings.some((beginning) => beginning.startsWith(received)) ? 'maybe' : 'no';
    },
  };
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
