import {
  approvalContent,
  contentOf,
  openAsks,
  rowsOf,
  type LineContent,
  type LineOptions,
  type Row,
} from './line-content.ts';
import type { Activity, FrameNode, KeptArtifact, RunTree } from './run-node.ts';
import { durationText, shortText } from './text.ts';

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

/** A line below a call that is no call, and when it belongs there. */
interface SideLine {
  readonly at: number;
  readonly content: LineContent;
}

/** What a call said and made, which of its steps failed, which are under way, and what it waited for; in no order. Pure. */
function sideLines({ notes, artifacts, activities }: FrameNode, options: LineOptions): readonly SideLine[] {
  const steps = activities.filter(({ kind, error, endedAt }) => {
    return kind === 'step' && (error !== undefined || endedAt === undefined);
  });
  return [
    ...notes.map(
      ({ at, message }) => ({ at, content: { ...plain, status: 'note', name: short(message) } }) as const,
    ),
    ...artifacts.map((artifact) => ({ at: artifact.at, content: artifactContent(artifact) })),
    ...steps.map((step) => ({ at: step.startedAt, content: stepContent(step, options) })),
    ...activities.flatMap((activity) => {
      const content = preparationLine(activity, options);
      return content === undefined ? [] : [{ at: activity.startedAt, content }];
    }),
  ];
}

const plain = { busy: false, detail: '', facts: [] } as const;

function artifactContent({ name, characters }: KeptArtifact): LineContent {
  const size = `${characters.toLocaleString('en-US')} ${characters === 1 ? 'character' : 'characters'}`;
  return { ...plain, status: 'artifact', name: short(name), facts: [size] };
}

function stepContent({ key, error }: Activity, { isInterrupted }: LineOptions): LineContent {
  const name = `step ${short(
    key
      .replace(/^step:/, '')
      .replace(/^snippet:.*/s, 'snippet')
      .replace(/:[0-9a-f]{16}$/, ''),
  )}`;
  if (error !== undefined)
    return { ...plain, status: 'failed', name: `${name}:`, detail: short(error.message) };
  return { ...plain, status: isInterrupted === true ? 'interrupted' : 'running', name };
}

function short(text: string): string {
  return shortText(text, 200);
}

const noTime = 1_000; // milliseconds

/** What a call says of the run that it waits for, or waited for a while, or in vain; undefined where that is not worth a line. Pure. */
function preparationLine(activity: Activity, { isInterrupted }: LineOptions): LineContent | undefined {
  const { kind, key, error, startedAt, endedAt } = activity;
  if (kind !== 'prepare') return undefined;
  const plain = { busy: false, detail: key, facts: [] };
  if (error !== undefined) return { ...plain, status: 'failed', name: 'its preparation failed:' };
  if (endedAt === undefined)
    return { ...plain, status: isInterrupted === true ? 'interrupted' : 'running', name: 'is prepared by' };
  const took = endedAt - startedAt;
  if (took < noTime) return undefined;
  return { ...plain, status: 'note', name: 'was prepared by', facts: [durationText(took)] };
}
