import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { createMarkdownParser } from '../../../core/index.ts';

/** The location of a command in a body. All offsets are in UTF-16 units from the start of the body. */
export interface FoundCommand {
  readonly kind: 'inline' | 'block';
  /** The start of the range that the command's output replaces. */
  readonly start: number;
  readonly end: number;
  /** The start of the text that the shell runs. */
  readonly from: number;
  readonly to: number;
  /** The one-based line number of the command. */
  readonly line: number;
}

/**
 * Finds the commands in a Markdown body, in order. Commands are code spans after a `!` in paragraphs,
 * headings and list items, and unindented fences tagged with `!`, including empty ones. Pure. Never throws.
 */
export function findCommands(body: string): readonly FoundCommand[] {
  if (!/!`|```[ \t]*!/.test(body)) return []; // Skip parsing: most bodies contain no commands.
  const lines = linesOf(body);
  const found: FoundCommand[] = [];
  let aside = 0;
  for (const token of commandParser().parse(body, {})) {
    if (/^(?:blockquote|table)_/.test(token.type)) aside += token.nesting;
    if (aside === 0) addCommands(token, lines, found);
  }
  return found;
}

function addCommands(token: Token, lines: readonly SourceLine[], found: FoundCommand[]): void {
  if (token.type === 'inline') addInlineCommands(token, lines, found);
  const block = token.type === 'fence' && token.level === 0 ? blockCommand(token, lines) : undefined;
  if (block !== undefined) found.push(block);
}

function addInlineCommands(block: Token, lines: readonly SourceLine[], found: FoundCommand[]): void {
  const children = block.children ?? [];
  const [firstLine] = block.map ?? [];
  if (firstLine === undefined || !children.some(isMarked)) return;
  const shifts = locateLines(block.content, lines.slice(firstLine, block.map?.[1]));
  const inHtml = tokensInHtml(children);
  let links = 0;
  let row = 0;
  for (const token of children) {
    if (/^link_/.test(token.type)) links += token.nesting;
    if (!isMarked(token)) continue;
    const { start, end } = token.meta as unknown as CommandMark;
    while ((shifts[row + 1]?.inBlock ?? Infinity) <= start) row++;
    const shift = shifts[row]?.shift;
    if (links > 0 || inHtml.has(token) || shift === undefined || token.content.trim() === '') continue;
    found.push({
      kind: 'inline',
      start: start + shift,
      end: end + shift,
      from: start + shift + 2,
      to: end + shift - 1,
      line: firstLine + row + 1,
    });
  }
}

function isMarked({ type, meta }: Token): boolean {
  return type === 'code_inline' && meta !== null;
}

/**
 * For each line of a block's text, returns its offset in the block and the distance from there to its
 * position in the body. The parser strips only markers and spaces at the start of a line, and spaces or
 * number signs at the end. A line is therefore located by the last occurrence of its trimmed text in the
 * source line.
 */
function locateLines(
  text: string,
  lines: readonly SourceLine[],
): readonly { inBlock: number; shift: number }[] {
  let inBlock = 0;
  return text.split('\n').map((written, row) => {
    const begins = inBlock;
    inBlock += written.length + 1;
    const trimmed = written.trimStart();
    const line = lines[row];
    const at = (line?.start ?? 0) + (line?.text.lastIndexOf(trimmed) ?? 0);
    return { inBlock: begins, shift: at - (written.length - trimmed.length) - begins };
  });
}

/**
 * Returns the command in a fenced block, or undefined if the block is not a command. A command's fence is
 * unindented, is closed, and has exactly three backticks and the info string `!`.
 */
function blockCommand({ markup, info, map }: Token, lines: readonly SourceLine[]): FoundCommand | undefined {
  const [opening = 0, after = 0] = map ?? [];
  const [first, second, last] = [lines[opening], lines[opening + 1], lines[after - 1]];
  if (markup !== '```' || info.trim() !== '!' || first?.text.startsWith('```') !== true) return undefined;
  if (second === undefined || last === undefined || last.start < second.start) return undefined;
  if (!/^ {0,3}`{3,}[ \t]*$/.test(last.text)) return undefined;
  const end = last.start + last.text.length;
  return { kind: 'block', start: first.start, end, from: second.start, to: last.start, line: opening + 1 };
}

let parser: MarkdownIt | undefined;

/**
 * Returns the parser for commands. It builds the same tree as `markdownParser`, but the `meta` of each
 * possible command also contains the range of its code span, including the `!`, in the block's text.
 */
export function commandParser(): MarkdownIt {
  if (parser === undefined) {
    parser = createMarkdownParser();
    parser.inline.ruler.before('backticks', 'command', readCommand);
  }
  return parser;
}

/** The range of a code span in its block's text. */
interface CommandMark {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a possible command: a code span with single backticks on one line. The preceding `!` must be at the
 * start of a line or after whitespace.
 */
function readCommand(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (silent || src.charAt(pos) !== '`' || src.charAt(pos - 1) !== '!' || src.charAt(pos + 1) === '`')
    return false;
  if (pos >= 2 && !/\s/.test(src.charAt(pos - 2))) return false;
  const close = closingBacktick(src, pos + 1);
  if (close === undefined || close >= posMax) return false;
  const content = src.slice(pos + 1, close);
  const token = state.push('code_inline', 'code', 0);
  token.markup = '`';
  token.content = /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
  token.meta = { start: pos - 1, end: close + 1 } satisfies CommandMark;
  state.pos = close + 1;
  return true;
}

const runOrLineEnd = /`+|\n/g;

/** Returns the offset of the next single backtick, or undefined if there is none on the same line. */
function closingBacktick(text: string, from: number): number | undefined {
  runOrLineEnd.lastIndex = from;
  for (let found = runOrLineEnd.exec(text); found !== null; found = runOrLineEnd.exec(text)) {
    if (found[0] === '\n') return undefined;
    if (found[0] === '`') return found.index;
  }
  return undefined;
}

/** A source line without its line ending. */
interface SourceLine {
  /** The start offset in UTF-16 units. */
  readonly start: number;
  readonly text: string;
}

/** Splits text into lines and replaces NUL characters, both as the Markdown parser does. Pure. */
function linesOf(source: string): readonly SourceLine[] {
  const lines: SourceLine[] = [];
  let start = 0;
  for (const { 0: ending, index } of source.matchAll(/\r\n?|\n|$/g)) {
    lines.push({ start, text: source.slice(start, index).replaceAll('\0', '\ufffd') });
    start = index + ending.length;
  }
  return lines;
}

/** Returns the tokens of a block that are inside an HTML element. Unclosed tags are ignored. */
function tokensInHtml(tokens: readonly Token[]): ReadonlySet<Token> {
  const open = new Map<string, number[]>();
  const turns = new Map<number, number>();
  for (const [index, { type, content }] of tokens.entries()) {
    if (type !== 'html_inline') continue;
    const [, slash, name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(content) ?? [];
    const starts = open.get(name.toLowerCase()) ?? [];
    open.set(name.toLowerCase(), starts);
    if (slash === '') starts.push(index);
    const opened = slash === '/' ? starts.pop() : undefined;
    if (opened === undefined) continue;
    turns.set(opened, (turns.get(opened) ?? 0) + 1);
    turns.set(index, (turns.get(index) ?? 0) - 1);
  }
  const inside = new Set<Token>();
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    depth += turns.get(index) ?? 0;
    if (depth > 0) inside.add(token);
  }
  return inside;
}
