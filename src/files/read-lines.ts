import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { Encoding } from './text-encoding.ts';

/** A range of lines in a file. */
interface LineRange {
  /** The one-based number of the first line. */
  readonly from: number;
  readonly lines: number;
  /** The maximum total number of characters. Reading stops after the line that reaches this limit. */
  readonly characters: number;
}

/** Lines read from a file. */
interface Lines {
  /** The lines without line endings. Long lines are truncated. */
  readonly lines: readonly string[];
  /** The file's line count, or undefined if the file was too long to count its lines. */
  readonly total: number | undefined;
  /** Whether bytes that are invalid in the file's encoding were replaced. */
  readonly isDamaged: boolean;
}

const chunkBytes = 1 << 18;
const countedBytes = 1 << 24;

/** Reads lines of an open file. Keeps only the requested part in memory, regardless of the file's size. */
export async function readLines(
  handle: number,
  encoding: Encoding,
  range: LineRange,
  signal: AbortSignal,
): Promise<Lines> {
  const decoder = new TextDecoder(encoding);
  const chunk = Buffer.alloc(chunkBytes);
  const taker = createTaker(range);
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
  /** Returns the number of lines. Call this only after all text has been added. */
  end(): number;
}

function createTaker({ from, lines: most, characters }: LineRange): Taker {
  const lines: string[] = [];
  let number = 1; // The number of the current line.
  let line = '';
  let length = 0; // The full length of the current line. Only its beginning is kept.
  let collected = 0;
  const isFull = (): boolean => lines.length >= most || collected >= characters;
  const add = (piece: string): void => {
    if (number >= from && !isFull() && line.length <= longestLine) line += piece.slice(0, longestLine + 1);
    length += piece.length;
  };
  const close = (): void => {
    const isReturn = length <= longestLine + 1 && line.endsWith('\r');
    if (number >= from && !isFull()) {
      lines.push(isReturn ? line.slice(0, -1) : cutLine(line, length));
      collected += lines.at(-1)?.length ?? 0;
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

/** The maximum number of characters to show per line. */
export const longestLine = 2000;

/** Truncates an overlong line and adds the number of omitted characters. `length` is the full length. */
export function cutLine(line: string, length = line.length): string {
  if (length <= longestLine) return line;
  const head = line.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '');
  return `${head}… [${(length - head.length).toLocaleString('en')} more characters]`;
}

/** Prefixes lines with their numbers, starting at `from`. */
export function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n');
}
