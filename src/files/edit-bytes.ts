import { AgentError } from '../core/error.ts';
import { cutLine, numbered } from './cut-line.ts';
import { bytesOf, lettersOf, toLetters, toText } from './file-letters.ts';
import {
  linesOf,
  occurrencesOf,
  replaceAt,
  withLineEndsOf,
  type Replaced,
  type Replacement,
} from './replace-text.ts';
import { refuseBinary, textKind } from './text-kind.ts';

/** What to change: every time that it occurs, or the only time. */
export interface Change extends Replacement {
  readonly everywhere: boolean;
}

/** The bytes of a file after a change. */
export interface Changed {
  readonly bytes: Buffer;
  /** The first line of each place that changed. */
  readonly lines: readonly number[];
  /** The changed lines with some around them, numbered. */
  readonly excerpt: string;
}

/** Changes text in the bytes of a file and leaves all others as they are; throws when it is not clear what is meant. */
export function editBytes(bytes: Buffer, change: Change, shown: string): Changed {
  if (change.before === change.after) {
    throw new AgentError('usage.bad-input', 'The old text and the new one are the same.', {
      hint: 'Give the text as it is to be.',
    });
  }
  const kind = textKind(bytes);
  if ('binary' in kind) throw refuseBinary(shown, kind.binary, bytes.length);
  const { encoding } = kind;
  if (encoding !== 'utf-8' && bytes.length % 2 === 1) throw refuseBinary(shown, 'damaged text', bytes.length);
  const letters = lettersOf(bytes, encoding);
  const replacement = withLineEndsOf(letters, {
    before: toLetters(change.before, encoding),
    after: toLetters(change.after, encoding),
  });
  const places = occurrencesOf(letters, replacement.before, mostReplaced + 1);
  if (places.length === 0) throw absent(shown);
  if (places.length > 1 && !change.everywhere) throw several(shown, linesOf(letters, places));
  checkAmount(letters, places.length, replacement, shown);
  const replaced = replaceAt(letters, places, replacement);
  return {
    bytes: bytesOf(replaced.text, encoding),
    lines: replaced.places.map(({ from }) => from),
    excerpt: excerptOf({ ...replaced, text: toText(replaced.text, encoding) }),
  };
}

const mostReplaced = 200_000;
const mostLetters = 1 << 26; // of the file after the change

/** A few words can ask for more places, or for a longer file, than there is memory. */
function checkAmount(letters: string, places: number, { before, after }: Replacement, shown: string): void {
  const length = letters.length + places * (after.length - before.length);
  if (places <= mostReplaced && length <= mostLetters) return;
  const fault =
    places > mostReplaced
      ? `More than ${mostReplaced.toLocaleString('en')} places would change in "${shown}".`
      : `"${shown}" would have more than ${mostLetters.toLocaleString('en')} bytes after the change.`;
  throw new AgentError('limit.too-large', fault, {
    hint: 'Change less at once, or use bash with a program.',
  });
}

function absent(shown: string): AgentError {
  return new AgentError('usage.bad-input', `The old text does not occur in "${shown}".`, {
    hint: 'Read the file and copy the text exactly: every space counts, and line numbers do not belong to it.',
  });
}

function several(shown: string, lines: readonly number[]): AgentError {
  const named = lines.slice(0, 20).join(', ') + (lines.length > 20 ? ', …' : '');
  const times = lines.length > mostReplaced ? `more than ${mostReplaced}` : lines.length;
  const message = `The old text occurs ${times} times in "${shown}", on the lines ${named}.`;
  return new AgentError('usage.bad-input', message, {
    hint: 'Give more of the text around the one that you mean, or set replace_all.',
    details: { lines: lines.slice(0, 100) },
  });
}

const around = 3; // lines before and after
const mostPlaces = 3;
const mostLines = 40; // of one place

/** The first places that changed, as they are now. */
function excerptOf({ text, places }: Replaced): string {
  const all = text.replace(/\r?\n$/, '').split('\n');
  const parts: string[] = [];
  let shownTo = 0;
  for (const { from, to } of places) {
    if (parts.length === mostPlaces) break;
    if (from <= shownTo) continue;
    const first = Math.max(from - around, 1);
    const last = Math.min(to + around, first + mostLines - 1);
    const lines = all.slice(first - 1, last).map((line) => cutLine(line.replace(/\r$/, '')));
    parts.push(numbered(lines, first));
    shownTo = last;
  }
  return parts.join('\n     …\n');
}
