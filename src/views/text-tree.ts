import {
  approvalContent,
  contentOf,
  openAsks,
  rowsOf,
  type LineContent,
  type LineOptions,
  type Row,
} from './line-content.ts';
import type { Activity, FrameNode, ArtifactSummary, RunTree } from './run-node.ts';
import { durationText, shortText } from './text.ts';

/** Options for writing a tree. */
export interface TreeOptions extends LineOptions {
  /** The maximum number of characters in a line. Longer details are shortened. */
  readonly width?: number;
}

/**
 * One line of a tree, in separate fields without line breaks. Text that comes from skills may contain
 * characters that are unsafe to print.
 */
export interface TreeLine extends LineContent {
  /** The characters that connect this line to its caller's line. */
  readonly branch: string;
  readonly glyph: string;
}

/** Returns the lines of a run, with each caller above its calls. Repeated calls share a line. */
export function treeLines(tree: RunTree, options: TreeOptions): readonly TreeLine[] {
  const lines = [
    ...firstApproval(tree),
    ...rowsOf(tree.children).flatMap((row) => [...linesOf(row, '', '', options)]),
  ];
  const { width } = options;
  return width === undefined ? lines : lines.map((line) => fit(line, width));
}

/** Returns a line as plain text. */
export function lineText({ branch, glyph, name, detail, facts }: TreeLine): string {
  return [`${branch}${glyph} ${name}${detail === '' ? '' : ` ${detail}`}`, ...facts].join('  ');
}

/**
 * Returns the line for the approval of the first call. This approval can be requested before any frame
 * exists.
 */
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

/** Returns the rows and lines below a call, in order. Empty for calls that share a line. */
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

/** Shortens the detail of a line so that the line is at most `width` characters long. */
function fit(line: TreeLine, width: number): TreeLine {
  const room = width - lineText({ ...line, detail: '' }).length - 1;
  return { ...line, detail: room < 2 ? '' : shortText(line.detail, room) };
}

/** A line for a note, an artifact or an activity of the call above it, with its time. */
interface SideLine {
  readonly at: number;
  readonly content: LineContent;
}

/**
 * Returns lines for a call's notes, artifacts and preparations, and for its failed or running steps. The
 * lines are not sorted. Pure.
 */
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

function artifactContent({ name, characters }: ArtifactSummary): LineContent {
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

const noTime = 1_000; // The minimum duration to show, in milliseconds.

/**
 * Returns the line for a preparation that is running, has failed or took at least a second. Returns undefined
 * for any other activity. Pure.
 */
function preparationLine(activity: Activity, { isInterrupted }: LineOptions): LineContent | undefined {
  const { kind, key, error, startedAt, endedAt } = activity;
  if (kind !== 'prepare') return undefined;
  const plain = { busy: false, detail: key, facts: [] };
  if (error !== undefined) return { ...plain, status: 'failed', name: 'preparation failed:' };
  if (endedAt === undefined)
    return {
      ...plain,
      status: isInterrupted === true ? 'interrupted' : 'running',
      name: 'being prepared by',
    };
  const took = endedAt - startedAt;
  if (took < noTime) return undefined;
  return { ...plain, status: 'note', name: 'prepared by', facts: [durationText(took)] };
}
