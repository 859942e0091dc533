import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { Encoding } from './text-encoding.ts';

/** Which lines are wanted. */
interface Wanted {
  /** The first one, counted from 1. */
  readonly from: number;
  readonly lines: number;
  /** Of all lines together; the one that reaches it is the last. */
  readonly characters: number;
}

/** Some lines of a file. */
interface Lines {
  /** Without their line ends, long ones cut. */
  readonly lines: readonly string[];
  /** How many lines there are; undefined when the end was too far away to count them. */
  readonly total: number | undefined;
  /** Some of the bytes are not of the encoding; they were replaced. */
  readonly isDamaged: boolean;
}

const chunkBytes = 1 << 18;
const countedBytes = 1 << 24;

/** Reads lines of an open file without ever holding more of it than is wanted, however long file and lines are. */
export async function readLines(
  handle: number,
  encoding: Encoding,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Lines> {
  const decoder = new TextDecoder(encoding);
  const chunk = Buffer.alloc(chunkBytes);
  const taker = createTaker(wanted);
  let isDamaged = false;
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await readChunk(handle, chunk, 0, chunkBytes, at);
    const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: bytesRead > 0 });
    isDamaged ||= !taker.isFull() && text.includes('\ufffd');
    taker.take(text);
    if (bytesRead === 0) return { lines: taker.lines, total: taker.end(), isDamaged };
    at += bytesRead;
    if (taker.isFull() && at >= countedBytes) return { lines: taker.lines, total: undefined, isDamaged };
  }
}

const readChunk = promisify(read);

interface Taker {
  readonly lines: readonly string[];
  take(text: string): void;
  isFull(): boolean;
  /** After the last text: how many lines there were. */
  end(): number;
}

function createTaker({ from, lines: most, characters }: Wanted): Taker {
  const lines: string[] = [];
  let number = 1; // of the line that is being read
  let line = '';
  let length = 0; // of this line, of which only the beginning is kept
  let kept = 0;
  const isFull = (): boolean => lines.length >= most || kept >= characters;
  const add = (piece: string): void => {
    if (number >= from && !isFull() && line.length <= longestLine) line += piece.slice(0, longestLine + 1);
    length += piece.length;
  };
  const close = (): void => {
    const isReturn = length <= longestLine + 1 && line.endsWith('\r');
    if (number >= from && !isFull()) {
      lines.push(isReturn ? line.slice(0, -1) : cutLine(line, length));
      kept += lines.at(-1)?.length ?? 0;
    }
    number += 1;
    line = '';
    length = 0;
  };
  return {
    lines,
    isFull,
    take(text) {
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        add(text.slice(start, end));
        close();
        start = end + 1;
      }
      add(text.slice(start));
    },
    end() {
      if (length > 0) close();
      return number - 1;
    },
  };
}

/** Characters of a line that are shown. */
export const longestLine = 2000;

/** The beginning of a line that is too long to show, with what was left out; `length` is that of the whole line. */
export function cutLine(line: string, length = line.length): string {
  if (length <= longestLine) return line;
  const kept = line.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… [${(length - kept.length).toLocaleString('en')} more characters]`;
}

/** Lines with their numbers, the first of which is `from`. */
export function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n');
}
