import type { Token } from 'markdown-it';
import { commandParser, type CommandMark } from './command-parser.ts';

import { linesOf, type SourceLine } from './source-lines.ts';
import { tokensInHtml } from './tokens-in-html.ts';

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
