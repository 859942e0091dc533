import { parseJson, type Json } from '../json.ts';

/**
 * The JSON values that an answer may mean, likeliest first: the whole text, what stands in fences, then the objects
 * and arrays between the words. Linear in the length of the text.
 */
export function* jsonInText(text: string): Generator<Json> {
  const whole = parseJson(text);
  if (whole !== undefined) {
    yield whole;
    return; // nothing inside of it is meant
  }
  for (const { content } of fencesIn(text)) {
    const value = parseJson(content);
    if (value !== undefined) yield value;
  }
  yield* collectionsIn(text);
}

const effort = 8; // how often a character may be looked at on the average
const wrongGuess = 200; // characters that could be looked at in the time that a failed parse takes

/** The outermost objects and arrays; what only looks like one is passed over, until that was too much effort. */
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

/** Where the brackets that open at a place are closed, or something stands that JSON does not have. */
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

/** A fenced block of a Markdown text. */
export interface Fence {
  /** The first word behind the opening marks, in lower case; empty when there is none. */
  readonly language: string;
  /** Without the indentation of its opening line; one that is never closed goes to the end of the text. */
  readonly content: string;
}

/** The fenced blocks of a text in their order, as models write them: at any indentation. Linear in its length. */
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

/** What the first line of a block says. */
export interface FenceOpening {
  readonly indent: number;
  /** Three or more backticks or tildes. */
  readonly marks: string;
  readonly language: string;
}

/** The block that a line opens when it stands outside of one. */
export function openingFence(line: string): FenceOpening | undefined {
  const [start, indent = '', marks] = /^([ \t]*)(`{3,}|~{3,})/.exec(line) ?? [];
  if (start === undefined || marks === undefined) return undefined;
  const words = line.slice(start.length);
  if (marks.startsWith('`') && words.includes('`')) return undefined; // code within the line
  const [language = ''] = words.trim().split(/\s/, 1);
  return { indent: indent.length, marks, language: language.toLowerCase() };
}

/** Whether a line closes the block that these marks opened. */
export function closesFence(line: string, marks: string): boolean {
  const closing = line.trim();
  return closing.startsWith(marks) && closing === marks.charAt(0).repeat(closing.length);
}

/** A line of a block without the indentation that its first line has. */
export function withoutIndent(line: string, most: number): string {
  const indent = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, most));
}

/** An answer without what the model thought aloud before it, as some local models do between `<think>` tags. */
export function withoutThinking(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('<think>')) return text;
  const end = start.indexOf('</think>');
  return end < 0 ? text : start.slice(end + '</think>'.length).trimStart();
}
