import { createHash } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { AgentError } from '../core/index.ts';
import { openFile } from './open-file.ts';
import type { Area } from './paths.ts';
import { cutLine, numbered } from './read-lines.ts';
import { bytesOf, lettersOf, refuseBinary, textKind, toLetters, toText } from './text-encoding.ts';
import { writeFile, type WriteOptions } from './write-file.ts';

/** A change of a file, worked out but not made. */
type EditPlan = {
  readonly shown: string;
  /** Hashes of the whole file: the change is made to the file that was looked at, and once. */
  readonly before: string;
  readonly after: string;
  /** How many places change, and the first line of the first hundred of them. */
  readonly count: number;
  readonly lines: readonly number[];
  /** The changed lines with some around them, numbered. */
  readonly excerpt: string;
};

const mostBytes = 1 << 25;

/** Works out a change; throws when it is not clear what is meant. */
export function planEdit(area: Area, path: string, change: Change): EditPlan {
  const { bytes, shown } = load(area, path);
  const changed = editBytes(bytes, change, shown);
  return {
    shown,
    before: hashOf(bytes),
    after: hashOf(changed.bytes),
    count: changed.lines.length,
    lines: changed.lines.slice(0, 100),
    excerpt: changed.excerpt,
  };
}

/** Makes a change that was worked out; doing it again does nothing, and a file that others changed is left alone. */
export async function makeEdit(
  area: Area,
  path: string,
  change: Change,
  plan: EditPlan,
  options: WriteOptions = {},
): Promise<void> {
  const { bytes, shown } = load(area, path);
  const found = hashOf(bytes);
  if (found === plan.after) return;
  if (found !== plan.before) {
    throw new AgentError('skill.failed', `"${shown}" was changed by somebody else meanwhile.`, {
      hint: 'Read it again, then edit it.',
    });
  }
  await writeFile(area, path, editBytes(bytes, change, shown).bytes, options);
}

function load(area: Area, path: string): { readonly bytes: Buffer; readonly shown: string } {
  using file = openFile(area, path);
  const { size } = fstatSync(file.handle);
  if (size > mostBytes) {
    const message = `"${file.shown}" has ${size.toLocaleString('en')} bytes; ${mostBytes.toLocaleString('en')} can be edited at most.`;
    throw new AgentError('limit.too-large', message, { hint: 'Use bash with a program for large files.' });
  }
  return { bytes: readFileSync(file.handle), shown: file.shown };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What to change: every time that it occurs, or the only time. */
interface Change extends Replacement {
  readonly everywhere: boolean;
}

/** The bytes of a file after a change. */
interface Changed {
  readonly bytes: Buffer;
  /** The first line of each place that changed. */
  readonly lines: readonly number[];
  /** The changed lines with some around them, numbered. */
  readonly excerpt: string;
}

/** Changes text in the bytes of a file and leaves all others as they are; throws when it is not clear what is meant. */
function editBytes(bytes: Buffer, change: Change, shown: string): Changed {
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

/** What is to be replaced; letters are compared one by one and never mean anything else. */
interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** A text with its replacements made. */
interface Replaced {
  readonly text: string;
  /** The lines that what was put in takes up, counted from 1. */
  readonly places: readonly { readonly from: number; readonly to: number }[];
}

/** Where a text occurs, from left to right, no two of them overlapping; the first so many. */
function occurrencesOf(text: string, sought: string, most: number): readonly number[] {
  const found: number[] = [];
  let at = text.indexOf(sought);
  while (at >= 0 && found.length < most) {
    found.push(at);
    at = text.indexOf(sought, at + sought.length);
  }
  return found;
}

/** Replaces what stands at each of these places. */
function replaceAt(text: string, places: readonly number[], { before, after }: Replacement): Replaced {
  const pieces: string[] = [];
  const lines: { readonly from: number; readonly to: number }[] = [];
  let done = 0;
  let line = 1;
  for (const place of places) {
    const kept = text.slice(done, place);
    const from = line + lineEndsIn(kept);
    line = from + lineEndsIn(after);
    lines.push({ from, to: line });
    pieces.push(kept, after);
    done = place + before.length;
  }
  return { text: [...pieces, text.slice(done)].join(''), places: lines };
}

/** The lines on which places of a text are, counted from 1. */
function linesOf(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let done = 0;
  return places.map((place) => {
    line += lineEndsIn(text.slice(done, place));
    done = place;
    return line;
  });
}

/**
 * A replacement in the line ends of a text: those of the file are kept where all of them are CR LF, and where only
 * with CR LF is there anything to replace.
 */
function withLineEndsOf(text: string, { before, after }: Replacement): Replacement {
  const isCrLf = text.includes('\r\n');
  const isOnlyCrLf = isCrLf && !/(?:^|[^\r])\n/.test(text);
  if (text.includes(before)) return { before, after: isOnlyCrLf ? toCrLf(after) : after };
  return isCrLf ? { before: toCrLf(before), after: toCrLf(after) } : { before, after };
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
