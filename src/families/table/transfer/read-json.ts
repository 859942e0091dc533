import { isJsonObject, type Json } from '../../../core/index.ts';
import { longestText, notJson, tooLong, type Cutter, type TakeText } from './cutter.ts';
import { createListCutter } from './list-cutter.ts';
import { parseRecord } from './parse-record.ts';

/** Takes one value of a file, with its text and the line on which it begins; undefined for a line that is no JSON. */
export type TakeValue = (value: Json | undefined, line: number, text: string) => void;

/** Reads a list of values, or a value in each line; which of the two it is, its first character tells. */
export async function readJson(pieces: AsyncIterable<Buffer>, shown: string, take: TakeValue): Promise<void> {
  let cutter: Cutter | undefined;
  let blank = '';
  for await (const piece of pieces) {
    const text = blank + piece.toString('utf8');
    if (cutter === undefined && text.trim() === '') blank = lineBreaks(text);
    else {
      cutter ??= openCutter(text, shown, take);
      cutter.push(text);
      blank = '';
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

/** All that has to be kept of blank text: its lines count. */
function lineBreaks(text: string): string {
  return text.replace(/[^\n]+/g, '');
}

/** What a value that is no record is, in words. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'no JSON, or nests too deep';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

/** Cuts a text into its lines; those with nothing in them are left out. */
function createLineCutter(shown: string, take: TakeText): Cutter {
  let line = 1;
  let kept = '';
  const finish = (text: string): void => {
    if (text.trim() !== '') take(text, line);
    line += 1;
  };
  return {
    push(piece) {
      const [first = '', ...more] = piece.split('\n');
      kept += first;
      for (const next of more) {
        finish(kept);
        kept = next;
      }
      if (kept.length > longestText) throw tooLong(shown, line);
    },
    end: () => finish(kept),
  };
}
