import { parseJson, type Json } from '../json.ts';

/**
 * Yields the candidate JSON values in an answer, most likely first: the entire text, the contents of fences,
 * then objects and arrays within other text. Runs in time linear in the text's length.
 */
export function* jsonInText(text: string): Generator<Json> {
  const whole = parseJson(text);
  if (whole !== undefined) {
    yield whole;
    return; // The entire text is JSON, so values nested in it are not candidates.
  }
  for (const { content } of fencesIn(text)) {
    const value = parseJson(content);
    if (value !== undefined) yield value;
  }
  yield* collectionsIn(text);
}

const effort = 8; // The maximum number of characters to scan, as a multiple of the text's length.
const wrongGuess = 200; // The cost of a failed parse attempt, counted as scanned characters.

/**
 * Yields the outermost objects and arrays in the text. Text that only looks like JSON is skipped. Stops when
 * the scan becomes too expensive.
 */
function* collectionsIn(text: string): Generator<Json> {
  const next = /[[{]/g;
  let left = effort * text.length + wrongGuess;
  for (let found = next.exec(text); found !== null && left > 0; found = next.exec(text)) {
    const { end, isClosed } = scanCollection(text, found.index);
    const value = isClosed ? parseJson(text.slice(found.index, end)) : undefined;
    left -= end - found.index + (isClosed ? wrongGuess : 0);
    if (value === undefined) continue;
    left += wrongGuess;
    next.lastIndex = end;
    yield value;
  }
}

const token = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|[[\]{}]|[\s:,\d+.\-truefalsnE]+/y;
const deepest = 64;

/**
 * Returns the offset where the brackets that open at `start` are closed, or where the text stops being valid
 * JSON.
 */
function scanCollection(text: string, start: number): { readonly end: number; readonly isClosed: boolean } {
  const next = new RegExp(token);
  next.lastIndex = start;
  let end = start;
  let depth = 0;
  for (let found = next.exec(text); found !== null && depth <= deepest; found = next.exec(text)) {
    end = next.lastIndex;
    if (found[0] === '{' || found[0] === '[') depth++;
    else if (found[0] === '}' || found[0] === ']') depth--;
    if (depth === 0) return { end, isClosed: true };
  }
  return { end, isClosed: false };
}

/** A fenced block in Markdown text. */
export interface Fence {
  /** The first word after the opening fence, in lower case. Empty if there is none. */
  readonly language: string;
  /**
   * The block's content without the opening line's indentation. A block without a closing fence ends at the
   * end of the text.
   */
  readonly content: string;
}

/**
 * Yields a text's fenced blocks in order. Any indentation is accepted, because models indent freely. Runs in
 * time linear in the text's length.
 */
export function* fencesIn(text: string): Generator<Fence> {
  let open: FenceOpening | undefined;
  let content = '';
  for (const line of text.split(/\r?\n/)) {
    if (open === undefined) open = openingFence(line);
    else if (closesFence(line, open.marks)) {
      yield { language: open.language, content };
      [open, content] = [undefined, ''];
    } else content += `${withoutIndent(line, open.indent)}\n`;
  }
  if (open !== undefined) yield { language: open.language, content };
}

/** The parsed first line of a fenced block. */
export interface FenceOpening {
  readonly indent: number;
  /** The fence: three or more backticks or tildes. */
  readonly marks: string;
  readonly language: string;
}

/**
 * Parses the opening line of a fenced block. Returns undefined for any other line. The line must not be
 * inside a block.
 */
export function openingFence(line: string): FenceOpening | undefined {
  const [start, indent = '', marks] = /^([ \t]*)(`{3,}|~{3,})/.exec(line) ?? [];
  if (start === undefined || marks === undefined) return undefined;
  const rest = line.slice(start.length);
  // Backticks later on the line mean that this is inline code, not a fence.
  if (marks.startsWith('`') && rest.includes('`')) return undefined;
  const [language = ''] = rest.trim().split(/\s/, 1);
  return { indent: indent.length, marks, language: language.toLowerCase() };
}

/** Whether a line closes a fenced block that was opened with the fence `marks`. */
export function closesFence(line: string, marks: string): boolean {
  const closing = line.trim();
  return closing.startsWith(marks) && closing === marks.charAt(0).repeat(closing.length);
}

/** Removes at most the opening line's indentation from a line of the block. */
export function withoutIndent(line: string, most: number): string {
  const indent = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, most));
}

/** Removes the reasoning before an answer, which some local models write between `<think>` tags. */
export function withoutThinking(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('<think>')) return text;
  const end = start.indexOf('</think>');
  return end < 0 ? text : start.slice(end + '</think>'.length).trimStart();
}
