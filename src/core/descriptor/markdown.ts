import type { Token } from 'markdown-it';
import { markdownParser } from '../package-files.ts';

/** A Markdown heading and the text below it, up to the next heading of any level. */
export interface Heading {
  readonly level: number;
  readonly title: string;
  /** The one-based line number in the file. */
  readonly line: number;
  readonly text: string;
  /** The one-based line number where `text` begins. */
  readonly textLine: number;
}

/**
 * Returns the headings in Markdown text and the text before the first one. Headings inside code fences,
 * quotes, comments and lists are ignored.
 */
export function outline(
  body: string,
  firstLine = 1,
): { readonly preamble: string; readonly headings: readonly Heading[] } {
  const lines = body.split('\n');
  const tokens = blocksOf(body);
  const marks: { level: number; title: string; start: number; end: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open' || token.level !== 0 || token.map == null) continue;
    const title = tokens[index + 1]?.content ?? '';
    marks.push({
      level: Number(token.tag.slice(1)),
      title: plainTitle(title),
      start: token.map[0],
      end: token.map[1],
    });
  }
  const headings = marks.map((mark, index) => ({
    level: mark.level,
    title: mark.title,
    line: firstLine + mark.start,
    text: trimBlankLines(lines.slice(mark.end, marks[index + 1]?.start ?? lines.length)),
    textLine: firstLine + skipBlankLines(lines, mark.end),
  }));
  return { preamble: trimBlankLines(lines.slice(0, marks[0]?.start ?? lines.length)), headings };
}

/** Returns the first paragraph of Markdown text on one line, without its markup. Empty if there is none. */
export function firstParagraph(text: string): string {
  const tokens = blocksOf(text);
  const index = tokens.findIndex((token) => token.type === 'paragraph_open');
  const content = index < 0 ? undefined : tokens[index + 1]?.content;
  return withoutMarks(content ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the items of a list section, one per line. Removes bullets, numbers and enclosing backticks; skips
 * blank lines and comments.
 */
export function listItems(text: string): readonly string[] {
  return text
    .split('\n')
    .map(listItem)
    .filter((item) => item !== '');
}

/** Returns the item on one line of a list section, or an empty string if the line has none. */
export function listItem(line: string): string {
  if (/^\s*<!--.*-->\s*$/.test(line)) return '';
  return line
    .trim()
    .replace(/^(?:[-*+]|\d+[.)])(?:\s+|$)/, '')
    .replace(/^`([^`]*)`$/, '$1')
    .trim();
}

/**
 * Returns the content of the first code fence, optionally only in one of the given languages. Returns
 * undefined if there is none.
 */
export function firstFence(
  text: string,
  languages?: readonly string[],
): { readonly content: string; readonly line: number } | undefined {
  const token = blocksOf(text).find(
    (candidate) =>
      candidate.type === 'fence' &&
      (languages?.includes(candidate.info.trim().split(/\s+/)[0]?.toLowerCase() ?? '') ?? true),
  );
  return token === undefined ? undefined : { content: token.content, line: (token.map?.[0] ?? 0) + 1 };
}

/** Parses the blocks of Markdown text. Inline content is not parsed, because no caller needs it. */
function blocksOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const parser = markdownParser();
  parser.block.parse(text, parser, {}, tokens);
  return tokens;
}

function plainTitle(text: string): string {
  return withoutMarks(text)
    .replace(/[:：]$/, '')
    .trim();
}

function withoutMarks(text: string): string {
  return text.replace(/(\*\*|__|`)(.+?)\1/g, '$2');
}

/** Returns the index of the first non-blank line at or after `from`, or `from` if all are blank. */
function skipBlankLines(lines: readonly string[], from: number): number {
  let at = from;
  while (lines[at]?.trim() === '') at++;
  return at < lines.length ? at : from;
}

/** Joins lines into one string without leading and trailing blank lines. */
export function trimBlankLines(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
