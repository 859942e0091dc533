import { isJsonObject, type Json } from '../../../core/index.ts';
import { longestText, notJson, tooLong, type Cutter, type TakeText } from './cutter.ts';
import { createListCutter } from './list-cutter.ts';
import { parseRecord } from './parse-record.ts';

/**
 * Receives a value, the number of its first line and its source text. The value is undefined for invalid
 * JSON.
 */
export type TakeValue = (value: Json | undefined, line: number, text: string) => void;

/** Reads a list of values or one value per line, depending on the first character. */
export async function readJson(pieces: AsyncIterable<Buffer>, shown: string, take: TakeValue): Promise<void> {
  let cutter: Cutter | undefined;
  let space = '';
  for await (const piece of pieces) {
    const text = space + piece.toString('utf8');
    if (cutter === undefined && text.trim() === '') space = lineBreaks(text);
    else {
      cutter ??= openCutter(text, shown, take);
      cutter.push(text);
      space = '';
    }
  }
  cutter?.end();
}

function openCutter(begin: string, shown: string, take: TakeValue): Cutter {
  if (!begin.trimStart().startsWith('[')) {
    return createLineCutter(shown, (text, line) => take(parseRecord(text), line, text));
  }
  return createListCutter(shown, (text, line) => {
    const value = parseRecord(text);
    if (value === undefined) throw notJson(shown, line);
    take(value, line, text);
  });
}

/** Reduces whitespace to its line breaks, which are still needed to count lines. */
function lineBreaks(text: string): string {
  return text.replace(/[^\n]+/g, '');
}

/** Describes the type of a value that is not a record, for messages. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'invalid or too deeply nested JSON';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : `a ${typeof value}`;
}

/** Splits text into lines and skips empty ones. */
function createLineCutter(shown: string, take: TakeText): Cutter {
  let line = 1;
  let pending = '';
  const finish = (text: string): void => {
    if (text.trim() !== '') take(text, line);
    line += 1;
  };
  return {
    push(piece) {
      const [first = '', ...more] = piece.split('\n');
      pending += first;
      for (const next of more) {
        finish(pending);
        pending = next;
      }
      if (pending.length > longestText) throw tooLong(shown, line);
    },
    end: () => finish(pending),
  };
}
