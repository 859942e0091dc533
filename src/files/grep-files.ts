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

const mostBytes = 1 << 26; // of one file
const mostLines = 4_000_000; // of one file; a thread that runs out of memory can take the process along

/** Searches the files of a workspace, one after the other; ends as soon as there are as many results as are wanted. */
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
    const most = mostMatches(query, query.results - results);
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

/** Where one match is enough to name a file, no more are looked for. */
function mostMatches({ mode }: GrepQuery, left: number): number {
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
    isWanted: (state, name) => pattern.fits(state, name) !== isNegated,
  });
  for (const file of walk) if (file !== undefined) yield file;
}

/** The text of a file; undefined for what is no text, too large or not to be opened. */
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
    if (size > mostBytes) {
      skipped.large += 1;
      return undefined;
    }
    const text = toLf(new TextDecoder(kind.encoding).decode(readFileSync(file.handle)));
    if (!hasMoreLines(text, mostLines)) return text;
    skipped.large += 1;
    return undefined;
  } catch {
    skipped.unreadable += 1; // one file that cannot be read hides no other
    return undefined;
  }
}

function hasMoreLines(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && count < most; at = text.indexOf('\n', at + 1)) count += 1;
  return count >= most;
}

/** The lines of the matches with those around them, each one once. */
function* linesAround(
  path: string,
  all: readonly string[],
  matches: readonly TextMatch[],
  { before, after }: GrepQuery,
): Generator<GrepLine> {
  let next = 0;
  let nearest = 0; // the match that a line lies in, or the next one
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

/** A match in a text: its lines, counted from 0, and where it begins in the first of them. */
interface TextMatch {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** A text by lines, without line ends. */
function linesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop(); // what comes after the last line end is no line
  return lines;
}

/** The lines that match, at most so many. */
function matchLines(lines: readonly string[], expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  for (const [index, line] of lines.entries()) {
    if (found.length >= most) break;
    const at = line.search(expression);
    if (at >= 0) found.push({ from: index, to: index, at });
  }
  return found;
}

/** The matches of a global expression, which may reach over line ends, at most so many. */
function matchText(text: string, expression: RegExp, most: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  let line = 0;
  let start = 0; // of that line
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

const shownBefore = 200; // characters in front of a match in a line that is too long to show

/** A line that is short enough to show, cut around the place that matched. */
function cutAround(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = Math.max(0, Math.min(at - shownBefore, line.length - longestLine));
  const end = start + longestLine;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}
