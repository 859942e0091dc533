import { placeOfNext, take } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import type { Place } from '../plan.ts';
import { errorAt } from '../sop-issue.ts';
import type { SopIssue } from '../sop-issue.ts';

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Takes the string whose opening quote is next, and gives what it stands for; all that is left where it has no end. */
export function readString(cursor: Cursor, issues: SopIssue[]): string {
  const { text } = cursor;
  const opening = placeOfNext(cursor);
  const quote = text[cursor.at++];
  const plain = quote === '"' ? /[^"\\]*/y : /[^'\\]*/y;
  let value = '';
  while (true) {
    value += take(cursor, plain);
    if (cursor.at === text.length) {
      issues.push(openString(opening));
      return value;
    }
    const place = placeOfNext(cursor);
    if (text[cursor.at++] === quote) return value;
    if (cursor.at === text.length) {
      issues.push(openEscape(place));
      return value;
    }
    const escaped = text[cursor.at++] ?? '';
    value += escapes[escaped] ?? escaped;
  }
}

function openString(place: Place): SopIssue {
  return errorAt(
    place,
    'sop.open-string',
    'The string has no end on its line.',
    'Close it with the quote that it began with; write \\n for a new line, or put the text between --begin-text-- and --end-text--.',
  );
}

function openEscape(place: Place): SopIssue {
  return errorAt(
    place,
    'sop.open-escape',
    'The line ends with a backslash inside a string.',
    'Write \\\\ for a backslash, and close the string.',
  );
}
