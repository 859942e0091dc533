import { contentOf } from './line-content.ts';
import type { LineContent, LineOptions } from './line-content.ts';
import { rowsOf } from './repeats.ts';
import type { Row } from './repeats.ts';
import type { RunTree } from './run-node.ts';
import { shortText } from './short-text.ts';

/** How a tree is to be written. */
export interface TreeOptions extends LineOptions {
  /** Characters that a line should have at most; details give way. */
  readonly width?: number;
}

/** One line of a tree in parts, none of which holds a line end; skills wrote some of them, so they are not safe to print. */
export interface TreeLine extends LineContent {
  /** What leads from the caller's line to this one. */
  readonly branch: string;
  readonly glyph: string;
}

/** A run as lines, each caller above its calls; repeated calls share a line. */
export function treeLines(tree: RunTree, options: TreeOptions): readonly TreeLine[] {
  const lines = rowsOf(tree.children).flatMap((row) => [...linesOf(row, '', '', options)]);
  const { width } = options;
  return width === undefined ? lines : lines.map((line) => fit(line, width));
}

/** A line as plain text. */
export function lineText({ branch, glyph, name, detail, facts }: TreeLine): string {
  return [`${branch}${glyph} ${name}${detail === '' ? '' : ` ${detail}`}`, ...facts].join('  ');
}

const glyphs = { done: '✓', failed: '✗', refused: '⊘', running: '…', waiting: '⏸' } as const;

function* linesOf(row: Row, branch: string, margin: string, options: LineOptions): Generator<TreeLine> {
  const content = contentOf(row, options);
  yield { branch, glyph: glyphs[content.status], ...content };
  const below = row.first.kind === 'frame' ? rowsOf(row.first.children) : [];
  for (const [index, inner] of below.entries()) {
    const [turn, space] = index === below.length - 1 ? ['└ ', '  '] : ['├ ', '│ '];
    yield* linesOf(inner, margin + turn, margin + space, options);
  }
}

/** The line with as much of its detail as there is room for. */
function fit(line: TreeLine, width: number): TreeLine {
  const room = width - lineText({ ...line, detail: '' }).length - 1;
  return { ...line, detail: room < 2 ? '' : shortText(line.detail, room) };
}
