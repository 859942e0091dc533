import { StringDecoder } from 'node:string_decoder';

/** Characters that are kept of each stream of a process. */
export const mostOutput = 100_000;

/** What is kept of a stream: all of it, or its head and its tail. */
interface KeptOutput {
  add(bytes: Uint8Array): void;
  /** Well-formed, with a line that says how much is missing in the middle. */
  text(): string;
  isCut(): boolean;
}

/** Keeps at most so many characters of a stream of UTF-8, however long it is; memory stays within about twice that. */
export function createKeptOutput(most: number): KeptOutput {
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
      trim(2 * half); // not every time, so that small pieces stay cheap
    },
    text() {
      trim(half);
      const middle = left === 0 ? '' : `\n[… ${left.toLocaleString('en')} characters left out …]\n`;
      return `${head}${middle}${tail}`.toWellFormed();
    },
    isCut: () => left > 0 || tail.length > half,
  };
}

/** The end of a stream. */
interface KeptTail {
  add(bytes: Uint8Array): void;
  /** Well-formed. */
  text(): string;
}

/** Keeps at most the last so many characters of a stream of UTF-8; memory stays within about twice that. */
export function createKeptTail(most: number): KeptTail {
  let decoder: StringDecoder | undefined;
  let kept = '';
  return {
    add(bytes) {
      decoder ??= new StringDecoder('utf8');
      kept += decoder.write(bytes);
      if (kept.length > 2 * most) kept = kept.slice(-most); // not every time, so that small pieces stay cheap
    },
    text: () => (kept === '' ? '' : kept.slice(-most).toWellFormed()),
  };
}

/** Whether all that a process said here is text. */
export function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
