import type { Token } from 'markdown-it';
import { markdownParser } from '../../../core/index.ts';
import { manyLines } from '../text.ts';
import { codeLines } from './code.ts';
import { inlineSpans } from './inline.ts';
import { breakSpans, paintSpans, wrapSpans, type StyledSpan } from './spans.ts';
import { tableLines } from './table.ts';

type Line = readonly StyledSpan[];

/** How to lay out Markdown on a terminal. */
export interface MarkdownLook {
  /** The number of columns. */
  readonly width: number;
  readonly color: boolean;
  /** Whether each line must fit into one row, because the lines are drawn again. */
  readonly isLive?: boolean;
}

const narrowest = 20;

/** Renders Markdown as lines for a terminal. The text may come from a model: control characters are removed. */
export function renderMarkdown(
  text: string,
  { width, color, isLive = false }: MarkdownLook,
): readonly string[] {
  const columns = Math.max(narrowest, width);
  const tokens = markdownParser().parse(manyLines(text), {});
  const lines = blockLines(tokens, columns, color);
  return (isLive ? breakSpans(lines, columns) : lines).map((line) => paintSpans(line, color).trimEnd());
}

/**
 * Returns the position in the text at which its last block starts. The blocks before it are complete, however
 * the text continues.
 */
export function lastBlockStart(text: string): number {
  const tokens = markdownParser().parse(text, {});
  const starts = tokens.flatMap(({ level, nesting, map }) =>
    level === 0 && nesting >= 0 && map !== null ? [map[0]] : [],
  );
  const line = starts.at(-1) ?? 0;
  let position = 0;
  for (let count = 0; count < line; count += 1) position = text.indexOf('\n', position) + 1;
  return position;
}

/** Lays out the blocks on one level, with an empty line between two of them. */
function blockLines(tokens: readonly Token[], width: number, hasColor: boolean): readonly Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < tokens.length;) {
    const end = endOfBlock(tokens, index);
    const block = tokens.slice(index, end);
    const isTight = block[0]?.type === 'paragraph_open' && block[0].hidden;
    const found = linesOfBlock(block, width, hasColor);
    if (lines.length > 0 && found.length > 0 && !isTight && !isListInItem(tokens, index)) lines.push([]);
    lines.push(...found);
    index = end;
  }
  return lines;
}

/** Whether the block is a list directly below the text of a tight item. */
function isListInItem(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return /_list_open$/.test(tokens[index]?.type ?? '') && before?.type === 'paragraph_close' && before.hidden;
}

function endOfBlock(tokens: readonly Token[], start: number): number {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    depth += tokens[index]?.nesting ?? 0;
    if (depth <= 0) return index + 1;
  }
  return tokens.length;
}

function linesOfBlock(block: readonly Token[], width: number, hasColor: boolean): readonly Line[] {
  const [open] = block;
  if (open === undefined) return [];
  const inner = block.slice(1, -1);
  switch (open.type) {
    case 'heading_open':
      return headingLines(open, inner, width, hasColor);
    case 'bullet_list_open':
    case 'ordered_list_open':
      return listLines(open, inner, width, hasColor);
    case 'blockquote_open':
      return blockLines(inner, width - 2, hasColor).map((line) => [{ text: '│ ', styles: ['dim'] }, ...line]);
    case 'fence':
    case 'code_block':
      return codeLines(open, width);
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(width, 40)), styles: ['dim'] }]];
    case 'table_open':
      return tableLines(inner, width, hasColor);
    case 'html_block':
      return wrapSpans([{ text: open.content.trimEnd() }], width);
    default:
      return [open, ...inner]
        .filter(({ type }) => type === 'inline')
        .flatMap((token) => wrapSpans(inlineSpans(token, hasColor), width));
  }
}

function headingLines(
  { tag }: Token,
  inner: readonly Token[],
  width: number,
  hasColor: boolean,
): readonly Line[] {
  const [content] = inner;
  if (content === undefined) return [];
  const mark = hasColor ? [] : [{ text: `${'#'.repeat(Number(tag.slice(1)))} ` }];
  const styles = tag === 'h1' ? (['bold', 'underline'] as const) : (['bold'] as const);
  return wrapSpans([...mark, ...inlineSpans(content, hasColor, styles)], width);
}

function listLines(open: Token, inner: readonly Token[], width: number, hasColor: boolean): readonly Line[] {
  const first = Number(open.attrGet('start') ?? 1);
  const items = blocksIn(inner);
  const isOrdered = open.type === 'ordered_list_open';
  const marks = items.map((_, index) => (isOrdered ? `${first + index}. ` : '• '));
  const indent = Math.max(...marks.map((mark) => mark.length));
  const isLoose = items.some((item) =>
    item.some(({ type, level, hidden }) => type === 'paragraph_open' && level === open.level + 2 && !hidden),
  );
  return items.flatMap((item, index) => {
    const lines = blockLines(item.slice(1, -1), width - indent, hasColor);
    const shown = lines.length === 0 ? [[]] : lines;
    const marked = shown.map((line, at): Line => [
      {
        text: at === 0 ? (marks[index] ?? '').padStart(indent) : ' '.repeat(indent),
        styles: at === 0 ? ['dim'] : [],
      },
      ...line,
    ]);
    return isLoose && index > 0 ? [[], ...marked] : marked;
  });
}

function blocksIn(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const blocks: (readonly Token[])[] = [];
  for (let index = 0; index < tokens.length;) {
    const end = endOfBlock(tokens, index);
    blocks.push(tokens.slice(index, end));
    index = end;
  }
  return blocks;
}
