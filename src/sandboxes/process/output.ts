import { StringDecoder } from 'node:string_decoder';

/** The maximum number of characters kept from each output stream of a process. */
export const maxOutput = 100_000;

/** The output of a stream. If the output is too long, the buffer keeps only its start and its end. */
interface OutputBuffer {
  add(bytes: Uint8Array): void;
  /**
   * Returns the kept output as well-formed text. If the middle was dropped, a line in its place states how
   * many characters are missing.
   */
  text(): string;
  isCut(): boolean;
}

/**
 * Creates a buffer for a UTF-8 stream. It returns at most `most` characters and stores up to twice as many.
 */
export function createOutputBuffer(most: number): OutputBuffer {
  const half = Math.floor(most / 2);
  const decoder = new StringDecoder('utf8');
  let head = '';
  let tail = '';
  let left = 0;
  const trim = (longest: number): void => {
    if (tail.length <= longest) return;
    left += tail.length - half;
    tail = tail.slice(-half);
  };
  return {
    add(bytes) {
      const text = decoder.write(bytes);
      const room = half - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      trim(2 * half); // Trims only occasionally, so that appending small chunks stays cheap.
    },
    text() {
      trim(half);
      const middle = left === 0 ? '' : `\n[… ${left.toLocaleString('en')} characters left out …]\n`;
      return `${head}${middle}${tail}`.toWellFormed();
    },
    isCut: () => left > 0 || tail.length > half,
  };
}

/** The end of a stream's output. */
interface TailBuffer {
  add(bytes: Uint8Array): void;
  /**
   * Returns the last `most` characters as well-formed text, or all kept output by default. If earlier
   * output was dropped, the text starts with a line that states how much.
   */
  text(most?: number): string;
}

/**
 * Creates a buffer for the last `most` characters of a UTF-8 stream. It stores up to about twice as many.
 */
export function createTailBuffer(most: number): TailBuffer {
  let decoder: StringDecoder | undefined;
  let tail = '';
  let left = 0;
  const trim = (longest: number): void => {
    if (tail.length <= longest) return;
    left += tail.length - most;
    tail = tail.slice(-most);
  };
  return {
    add(bytes) {
      decoder ??= new StringDecoder('utf8');
      tail += decoder.write(bytes);
      trim(2 * most); // Trims only occasionally, so that appending small chunks stays cheap.
    },
    text(shown = most) {
      trim(most);
      const end = tail.slice(Math.max(0, tail.length - shown));
      const omitted = left + tail.length - end.length;
      const start = omitted === 0 ? '' : `[… ${omitted.toLocaleString('en')} characters left out …]\n`;
      return `${start}${end}`.toWellFormed();
    },
  };
}

/** Returns whether all values are strings. */
export function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
