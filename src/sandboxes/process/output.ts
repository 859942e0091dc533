import { StringDecoder } from 'node:string_decoder';

/** The maximum number of characters kept from each output stream of a process. */
export const maxOutput = 100_000;

/** The kept part of a stream: the whole output, or its start and end. */
interface OutputBuffer {
  add(bytes: Uint8Array): void;
  /** The kept output as well-formed text. If the middle is missing, a line states its size. */
  text(): string;
  isCut(): boolean;
}

/** Keeps at most `most` characters of a UTF-8 stream of any length. Buffers up to about twice that many. */
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

/** Keeps the end of a stream. */
interface TailBuffer {
  add(bytes: Uint8Array): void;
  /** The kept output as well-formed text. If the start was cut off, a line states the omitted size. */
  text(): string;
}

/** Keeps at most the last `most` characters of a UTF-8 stream. Buffers up to about twice that many. */
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
    text() {
      trim(most);
      const start = left === 0 ? '' : `[… ${left.toLocaleString('en')} characters left out …]\n`;
      return `${start}${tail}`.toWellFormed();
    },
  };
}

/** Whether all values are strings. */
export function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
