import type { WrittenCall } from './parse-calls.ts';

/** The state that all parser modes of one answer share. */
export interface AnswerReading {
  /** The names of the tools. */
  readonly known: ReadonlySet<string>;
  /** The ways in which a tool call may begin, without white space. */
  readonly beginnings: readonly string[];
  hasCalls: boolean;
}

/** The position where prose continues: the start of a line, or after a part that was already forwarded. */
export interface ProsePosition {
  readonly shown?: string;
  /**
   * Whether only white space and calls precede this position. An object without a fence may then be a call.
   */
  readonly isFirst?: boolean;
}

/** The result of parsing a chunk. */
export interface Taken {
  /** Text outside calls, which can be forwarded. */
  readonly text?: string;
  readonly calls?: readonly WrittenCall[];
  /** The rest of the chunk, which has not been parsed yet. */
  readonly rest?: string;
  /** The mode that parses the following text, if it differs from the current one. */
  readonly next?: Mode | ProsePosition;
}

/** A parser mode for a part of an answer, such as prose or a block. */
export interface Mode {
  /** Parses part of a chunk. A chunk may end anywhere. */
  take(piece: string): Taken;
  /** Ends the answer and decides whether the buffered text is a call. */
  end(): Taken;
}

/** Splits a chunk of text after its first line. */
export function firstLine(piece: string): readonly [part: string, rest: string] {
  const at = piece.indexOf('\n');
  return at < 0 ? [piece, ''] : [piece.slice(0, at + 1), piece.slice(at + 1)];
}

/** A detector for JSON text that begins like a tool call. The text arrives in chunks. */
interface Likeness {
  /** Adds a chunk. Returns whether the text so far begins like a call. */
  add(piece: string): 'yes' | 'no' | 'maybe';
}

/** Returns the ways in which a call to one of these tools may begin, without white space. */
export function beginningsOf(known: ReadonlySet<string>): readonly string[] {
  const named = [...known].flatMap((name) =>
    ['tool', 'name'].map((key) => `{"${key}":${JSON.stringify(name)}`),
  );
  const others = ['{"input":', '{"arguments":', '{"parameters":', '{"function":', '{"type":"function"'];
  return [...named, ...others].map(squeeze);
}

/** Creates a `Likeness` that reads each chunk only once and ignores white space. */
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
