import { fstatSync, lstatSync, readFileSync, readSync } from 'node:fs';
import { sep } from 'node:path';
import { toLf } from '../core/text.ts';
import { holdFile } from './file-handle.ts';
import { walkFiles } from './find-files.ts';
import { globPattern, type ReachedStates } from './glob-pattern.ts';
import { expressionOf, type GrepFound, type GrepLine, type GrepQuery } from './grep.ts';
import { below } from './paths.ts';
import { longestLine } from './read-lines.ts';
import { headBytes, textKind } from './text-encoding.ts';

const maxBytes = 1 << 26; // The maximum size of a file, in bytes.
const maxLines = 4_000_000; // The maximum number of lines per file, to avoid running out of memory.

/** Searches workspace files one by one until there are enough results. */
export function grepFiles(query: GrepQuery): GrepFound {
  const expression = expressionOf(query);
  const files: { path: string; count: number }[] = [];
  const lines: GrepLine[] = [];
  const skipped = { large: 0, unreadable: 0 };
  let results = 0;
  let characters = 0;
  const isFull = (): boolean => results >= query.results || characters >= query.characters;
  for (const file of filesOf(query, () => (skipped.unreadable += 1))) {
    if (isFull()) break;
    const text = textOf(query.root, file, skipped);
    if (text === undefined) continue;
    const all = linesIn(text);
    const most = maxMatches(query, query.results - results);
    const matches = query.multiline ? matchText(text, expression, most) : matchLines(all, expression, most);
    if (matches.length === 0) continue;
    const path = below(query.root, file).replaceAll(sep, '/');
    if (query.mode === 'content') {
      for (const line of linesAround(path, all, matches, query)) {
        if (characters >= query.characters) break;
        lines.push(line);
        characters += line.text.length + path.length;
      }
      results += matches.length;
    } else {
      files.push({ path, count: matches.length });
      characters += path.length;
      results += 1;
    }
  }
  return { files, lines, isStopped: isFull(), ...skipped };
}

/** Returns the maximum number of matches to find in a file: one if only the file's name is needed. */
function maxMatches({ mode }: GrepQuery, left: number): number {
  if (mode === 'content') return left;
  return mode === 'count' ? Number.POSITIVE_INFINITY : 1;
}

function* filesOf(query: GrepQuery, onUnreadable: () => void): Generator<string> {
  const { root, start, glob = '**' } = query;
  if (!lstatSync(start).isDirectory()) {
    yield start;
    return;
  }
  const isNegated = glob.startsWith('!');
  const bare = isNegated ? glob.slice(1) : glob;
  const pattern = globPattern(bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`, true);
  const walk = walkFiles<ReachedStates>({
    root,
    start,
    state: pattern.start,
    links: false,
    onUnreadable,
    enter: (state, name) => {
      const reached = pattern.enter(state, name);
      return isNegated || reached.size > 0 ? reached : undefined;
    },
    isIncluded: (state, name) => pattern.fits(state, name) !== isNegated,
  });
  for (const file of walk) if (file !== undefined) yield file;
}

/** Returns a file's text, or undefined if it is not text, is too large or cannot be opened. */
function textOf(
  root: string,
  path: string,
  skipped: { large: number; unreadable: number },
): string | undefined {
  try {
    using file = holdFile([root], path, path);
    const { size } = fstatSync(file.handle);
    const head = Buffer.alloc(Math.min(headBytes, size));
    const kind = textKind(head.subarray(0, readSync(file.handle, head, 0, head.length, 0)));
    if ('binary' in kind) return undefined;
    if (size > maxBytes) {
      skipped.large += 1;
      return undefined;
    }
    const text = toLf(new TextDecoder(kind.encoding).decode(readFileSync(file.handle)));
    if (!hasMoreLines(text, maxLines)) return text;
    skipped.large += 1;
    return undefined;
  } catch {
    skipped.unreadable += 1; // An unreadable file must not end the search.
    return undefined;
  }
}

function hasMoreLines(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && count < most; at = text.indexOf('\n', at + 1)) count += 1;
  return count >= most;
}

/** Yields the matching lines with their context, each line once. */
function* linesAround(
  path: string,
  all: readonly string[],
  matches: readonly TextMatch[],
  { before, after }: GrepQuery,
): Generator<GrepLine> {
  let next = 0;
  let nearest = 0; // The index of the first match that ends on or after the current line.
  for (const { from, to } of matches) {
    for (let line = Math.max(next, from - before); line <= Math.min(to + after, all.length - 1); line++) {
      while ((matches[nearest]?.to ?? line) < line) nearest += 1;
      const match = matches[nearest];
      const text = cutAround(all[line] ?? '', match?.from === line ? match.at : 0);
      yield { path, line: line + 1, text, isMatch: match !== undefined && match.from <= line };
      next = line + 1;
    }
  }
}

/** A match: its zero-based first and last line, and its position in the first line. */
interface TextMatch {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Splits text into lines without line endings. */
function linesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop(); // Text after the last line ending is a line only if it is not empty.
  return lines;
}

/** Returns up to `most` matching lines. */
function matchLines(lines: readonly string[], expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  for (const [index, line] of lines.entries()) {
    if (found.length >= most) break;
    const at = line.search(expression);
    if (at >= 0) found.push({ from: index, to: index, at });
  }
  return found;
}

/**
 * Returns up to `most` matches of a regular expression with the `g` flag. A match can span several
 * lines.
 */
function matchText(text: string, expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  let line = 0;
  let start = 0; // The offset where the line starts.
  const goTo = (index: number): void => {
    for (let end = text.indexOf('\n', start); end >= 0 && end < index; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
  };
  for (const match of text.matchAll(expression)) {
    goTo(match.index);
    const from = line;
    const at = match.index - start;
    goTo(match.index + match[0].length - 1);
    found.push({ from, to: line, at });
    if (found.length >= most) break;
  }
  return found;
}

const shownBefore = 200; // The number of characters to show before a match in an overlong line.

/** Shortens a long line around its match. */
function cutAround(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = Math.max(0, Math.min(at - shownBefore, line.length - longestLine));
  const end = start + longestLine;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}
