import { createHash } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { AgentError } from '../core/index.ts';
import { openFile } from './open-file.ts';
import type { Area } from './paths.ts';
import { cutLine, numbered } from './read-lines.ts';
import { bytesOf, decodeChars, refuseBinary, textKind, toChars, toText } from './text-encoding.ts';
import { writeFile, type WriteOptions } from './write-file.ts';

/** A planned change to a file. */
type EditPlan = {
  readonly shown: string;
  /**
   * Hashes of the whole file before and after the change, so that it is applied only once and to the same
   * content.
   */
  readonly before: string;
  readonly after: string;
  /** The number of replacements, and the line numbers of the first hundred. */
  readonly count: number;
  readonly lines: readonly number[];
  /** The changed lines with some context and line numbers. */
  readonly excerpt: string;
};

const maxBytes = 1 << 25;

/** Plans a change. Throws if the text to replace is missing or ambiguous. */
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

/**
 * Applies a planned change. Repeating the call has no effect. Throws if the file has changed in the
 * meantime.
 */
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
    throw new AgentError('skill.failed', `"${shown}" was changed by something else in the meantime.`, {
      hint: 'Read the file again before you edit it.',
    });
  }
  await writeFile(area, path, editBytes(bytes, change, shown).bytes, options);
}

function load(area: Area, path: string): { readonly bytes: Buffer; readonly shown: string } {
  using file = openFile(area, path);
  const { size } = fstatSync(file.handle);
  if (size > maxBytes) {
    const message = `"${file.shown}" has ${size.toLocaleString('en')} bytes; the limit for editing is ${maxBytes.toLocaleString('en')}.`;
    throw new AgentError('limit.too-large', message, { hint: 'Use a bash command to edit large files.' });
  }
  return { bytes: readFileSync(file.handle), shown: file.shown };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A replacement for all occurrences of a string, or for its only occurrence. */
interface Change extends Replacement {
  readonly everywhere: boolean;
}

/** The result of a change: the file's new bytes, and an excerpt. */
interface Changed {
  readonly bytes: Buffer;
  /** The line where each replacement starts. */
  readonly lines: readonly number[];
  /** The changed lines with some context and line numbers. */
  readonly excerpt: string;
}

/**
 * Replaces text in a file's bytes and keeps all other bytes. Throws if the text to replace is missing or
 * ambiguous.
 */
function editBytes(bytes: Buffer, change: Change, shown: string): Changed {
  if (change.before === change.after) {
    throw new AgentError('usage.bad-input', 'The old text and the new text are the same.', {
      hint: 'Change the new text so that it differs from the old text.',
    });
  }
  const kind = textKind(bytes);
  if ('binary' in kind) throw refuseBinary(shown, kind.binary, bytes.length);
  const { encoding } = kind;
  if (encoding !== 'utf-8' && bytes.length % 2 === 1) throw refuseBinary(shown, 'damaged text', bytes.length);
  const chars = decodeChars(bytes, encoding);
  const replacement = withLineEndsOf(chars, {
    before: toChars(change.before, encoding),
    after: toChars(change.after, encoding),
  });
  const offsets = occurrencesOf(chars, replacement.before, maxReplaced + 1);
  if (offsets.length === 0) throw absent(shown);
  if (offsets.length > 1 && !change.everywhere) throw several(shown, linesOf(chars, offsets));
  checkAmount(chars, offsets.length, replacement, shown);
  const replaced = replaceAt(chars, offsets, replacement);
  return {
    bytes: bytesOf(replaced.text, encoding),
    lines: replaced.ranges.map(({ from }) => from),
    excerpt: excerptOf({ ...replaced, text: toText(replaced.text, encoding) }),
  };
}

const maxReplaced = 200_000;
const maxCharacters = 1 << 26; // The maximum size of the changed file, in characters.

/** Throws if a change would exceed the maximum number of replacements or the maximum file size. */
function checkAmount(chars: string, count: number, { before, after }: Replacement, shown: string): void {
  const length = chars.length + count * (after.length - before.length);
  if (count <= maxReplaced && length <= maxCharacters) return;
  const fault =
    count > maxReplaced
      ? `"${shown}" would have more than ${maxReplaced.toLocaleString('en')} replacements.`
      : `"${shown}" would have more than ${maxCharacters.toLocaleString('en')} bytes after the change.`;
  throw new AgentError('limit.too-large', fault, {
    hint: 'Make a smaller change, or edit the file with a bash command.',
  });
}

function absent(shown: string): AgentError {
  return new AgentError('usage.bad-input', `The old text does not occur in "${shown}".`, {
    hint: 'Read the file and copy the text exactly, with every space but without line numbers.',
  });
}

function several(shown: string, lines: readonly number[]): AgentError {
  const named = lines.slice(0, 20).join(', ') + (lines.length > 20 ? ', …' : '');
  const times = lines.length > maxReplaced ? `more than ${maxReplaced}` : lines.length;
  const message = `The old text occurs ${times} times in "${shown}", on lines ${named}.`;
  return new AgentError('usage.bad-input', message, {
    hint: 'Include more of the surrounding text to make it unique, or set replace_all.',
    details: { lines: lines.slice(0, 100) },
  });
}

const around = 3; // Number of context lines before and after a change.
const maxRanges = 3;
const maxLines = 40; // The maximum number of lines per range.

/** Returns an excerpt of the changed text that shows the first changed ranges. */
function excerptOf({ text, ranges }: Replaced): string {
  const all = text.replace(/\r?\n$/, '').split('\n');
  const parts: string[] = [];
  let shownTo = 0;
  for (const { from, to } of ranges) {
    if (parts.length === maxRanges) break;
    if (from <= shownTo) continue;
    const first = Math.max(from - around, 1);
    const last = Math.min(to + around, first + maxLines - 1);
    const lines = all.slice(first - 1, last).map((line) => cutLine(line.replace(/\r$/, '')));
    parts.push(numbered(lines, first));
    shownTo = last;
  }
  return parts.join('\n     …\n');
}

/** The text to replace and its replacement. Both are literal text, not patterns. */
interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** The text after all replacements have been made. */
interface Replaced {
  readonly text: string;
  /** The one-based line ranges of the inserted text. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

/** Returns up to `most` offsets at which a string occurs, from left to right, without overlaps. */
function occurrencesOf(text: string, sought: string, most: number): readonly number[] {
  const found: number[] = [];
  let at = text.indexOf(sought);
  while (at >= 0 && found.length < most) {
    found.push(at);
    at = text.indexOf(sought, at + sought.length);
  }
  return found;
}

/** Replaces the text at each offset. */
function replaceAt(text: string, offsets: readonly number[], { before, after }: Replacement): Replaced {
  const pieces: string[] = [];
  const lines: { readonly from: number; readonly to: number }[] = [];
  let done = 0;
  let line = 1;
  for (const offset of offsets) {
    const unchanged = text.slice(done, offset);
    const from = line + lineEndsIn(unchanged);
    line = from + lineEndsIn(after);
    lines.push({ from, to: line });
    pieces.push(unchanged, after);
    done = offset + before.length;
  }
  return { text: [...pieces, text.slice(done)].join(''), ranges: lines };
}

/** Returns the one-based line numbers of the offsets. */
function linesOf(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let done = 0;
  return offsets.map((offset) => {
    line += lineEndsIn(text.slice(done, offset));
    done = offset;
    return line;
  });
}

/**
 * Adapts a replacement to the text's line endings. Uses CRLF if all line endings in the file are CRLF, or if
 * the old text occurs only with CRLF.
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
