import { approvalContent, contentOf, openAsks } from './line-content.ts';
import type { LineContent, LineOptions } from './line-content.ts';
import { rowsOf } from './repeats.ts';
import type { Row } from './repeats.ts';
import type { RunTree } from './run-node.ts';
import { sideLines } from './side-lines.ts';
import type { SideLine } from './side-lines.ts';
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
  const lines = [
    ...firstApproval(tree),
    ...rowsOf(tree.children).flatMap((row) => [...linesOf(row, '', '', options)]),
  ];
  const { width } = options;
  return width === undefined ? lines : lines.map((line) => fit(line, width));
}

/** A line as plain text. */
export function lineText({ branch, glyph, name, detail, facts }: TreeLine): string {
  return [`${branch}${glyph} ${name}${detail === '' ? '' : ` ${detail}`}`, ...facts].join('  ');
}

/** The first call may have to be approved before there is a frame. */
function firstApproval(tree: RunTree): readonly TreeLine[] {
  const asks = openAsks(tree);
  if (asks === undefined) return [];
  return [lineOf('', { status: 'waiting', busy: false, ...approvalContent(asks), facts: [] })];
}

const glyphs: Readonly<Record<LineContent['status'], string>> = {
  done: '✓',
  failed: '✗',
  refused: '⊘',
  running: '…',
  waiting: '⏸',
  interrupted: '!',
  reused: '↺',
  note: '·',
  artifact: '+',
};

function* linesOf(row: Row, branch: string, margin: string, options: LineOptions): Generator<TreeLine> {
  yield lineOf(branch, contentOf(row, options));
  const below = belowOf(row, options);
  for (const [index, inner] of below.entries()) {
    const [turn, space] = index === below.length - 1 ? ['└ ', '  '] : ['├ ', '│ '];
    if ('content' in inner) yield lineOf(margin + turn, inner.content);
    else yield* linesOf(inner, margin + turn, margin + space, options);
  }
}

function lineOf(branch: string, content: LineContent): TreeLine {
  return { branch, glyph: glyphs[content.status], ...content };
}

/** The calls of a call, and what it did itself where that came between them; of calls that share a line neither is said. */
function belowOf({ first, repeats }: Row, options: LineOptions): readonly (Row | SideLine)[] {
  if (first.kind !== 'frame' || repeats.length > 0) return [];
  const sides = sideLines(first, options);
  const rows = rowsOf(first.children);
  return sides.length === 0
    ? rows
    : [...rows, ...sides].sort((one, other) => momentOf(one) - momentOf(other));
}

function momentOf(line: Row | SideLine): number {
  if ('content' in line) return line.at;
  return line.first.kind === 'frame' ? line.first.startedAt : line.first.at;
}

/** The line with as much of its detail as there is room for. */
function fit(line: TreeLine, width: number): TreeLine {
  const room = width - lineText({ ...line, detail: '' }).length - 1;
  return { ...line, detail: room < 2 ? '' : shortText(line.detail, room) };
}
