import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { createMarkdownParser } from '../../../core/index.ts';

/** A place in a body that is a command; all offsets are in UTF-16 units of the body. */
export interface FoundCommand {
  readonly kind: 'inline' | 'block';
  /** What its output takes the place of. */
  readonly start: number;
  readonly end: number;
  /** What the shell gets. */
  readonly from: number;
  readonly to: number;
  /** One-based. */
  readonly line: number;
}

/**
 * The commands in a body, in order, as its Markdown tree shows them: code spans behind a bang in paragraphs, headings
 * and list items, and fences tagged with a bang at the left edge, empty ones included. Pure; never throws.
 */
export function findCommands(body: string): readonly FoundCommand[] {
  if (!/!`|```[ \t]*!/.test(body)) return []; // the usual case, without a parser
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
  const places = placeLines(block.content, lines.slice(firstLine, block.map?.[1]));
  const inHtml = tokensInHtml(children);
  let links = 0;
  let row = 0;
  for (const token of children) {
    if (/^link_/.test(token.type)) links += token.nesting;
    if (!isMarked(token)) continue;
    const { start, end } = token.meta as unknown as CommandMark;
    while ((places[row + 1]?.inBlock ?? Infinity) <= start) row++;
    const shift = places[row]?.shift;
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
 * How far each line of the text of a block is from its place in the body. A block has as many lines as its text; of
 * each only marks and blanks in front and blanks or closing number signs behind are gone, so that the last occurrence
 * of a line that holds a backtick is the line itself.
 */
function placeLines(
  text: string,
  lines: readonly SourceLine[],
): readonly { inBlock: number; shift: number }[] {
  let inBlock = 0;
  return text.split('\n').map((written, row) => {
    const begins = inBlock;
    inBlock += written.length + 1;
    const kept = written.trimStart();
    const line = lines[row];
    const at = (line?.start ?? 0) + (line?.text.lastIndexOf(kept) ?? 0);
    return { inBlock: begins, shift: at - (written.length - kept.length) - begins };
  });
}

/** A fence of exactly three backticks at the left edge that says `!` and nothing else, and is closed. */
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
 * A parser whose tree is that of `markdownParser`, but in which a code span that could be a command says in its `meta`
 * where it stands in the text of its block, the bang included.
 */
export function commandParser(): MarkdownIt {
  if (parser === undefined) {
    parser = createMarkdownParser();
    parser.inline.ruler.before('backticks', 'command', readCommand);
  }
  return parser;
}

/** Where a code span stands in the text of its block. */
interface CommandMark {
  readonly start: number;
  readonly end: number;
}

/** A span of single backticks on one line, behind a bang that begins a line or follows white space. */
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

/** The next backtick that stands alone, if it is on the same line. */
function closingBacktick(text: string, from: number): number | undefined {
  runOrLineEnd.lastIndex = from;
  for (let found = runOrLineEnd.exec(text); found !== null; found = runOrLineEnd.exec(text)) {
    if (found[0] === '\n') return undefined;
    if (found[0] === '`') return found.index;
  }
  return undefined;
}

/** One line of a text, without what ends it. */
interface SourceLine {
  /** In UTF-16 units. */
  readonly start: number;
  readonly text: string;
}

/** The lines of a text as the Markdown parser counts them, with the one character that it replaces. Pure. */
function linesOf(source: string): readonly SourceLine[] {
  const lines: SourceLine[] = [];
  let start = 0;
  for (const { 0: ending, index } of source.matchAll(/\r\n?|\n|$/g)) {
    lines.push({ start, text: source.slice(start, index).replaceAll('\0', '\ufffd') });
    start = index + ending.length;
  }
  return lines;
}

/** What stands between an HTML tag and the tag that closes it, of the tokens of one block; a tag left open holds nothing. */
function tokensInHtml(tokens: readonly Token[]): ReadonlySet<Token> {
  const open = new Map<string, number[]>();
  const turns = new Map<number, number>();
  for (const [index, { type, content }] of tokens.entries()) {
    if (type !== 'html_inline') continue;
    const [, slash, name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(content) ?? [];
    const places = open.get(name.toLowerCase()) ?? [];
    open.set(name.toLowerCase(), places);
    if (slash === '') places.push(index);
    const opened = slash === '/' ? places.pop() : undefined;
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
