import { lineText, treeLines, type RunTree, type TreeLine } from '../../views/index.ts';
import type { Terminal } from '../terminal.ts';
import { paint, type Color } from './status.ts';
import { cutTo, oneLine, widthOf } from './text.ts';

/** Options for drawing a run's tree. */
interface TreeLook {
  /** The current time, in milliseconds since the Unix epoch. Used as the end time of unfinished calls. */
  readonly now: number;
  /** The width in columns, or undefined if lines are not cut. */
  readonly width: number | undefined;
  readonly terminal: Terminal;
  /** Set if no process is working on the run any more. */
  readonly isInterrupted?: boolean;
}

/**
 * Draws a run's tree as lines that are safe to print. If calls have costs, also shows the cost of each caller
 * without its callees.
 */
export function drawTree(tree: RunTree, look: TreeLook): readonly string[] {
  const { now, width, terminal, isInterrupted = false } = look;
  const own = treeLines(tree, { now, isInterrupted, costs: 'own' });
  return treeLines(tree, { now, isInterrupted }).map((line, index) => {
    const safe = safeLine(withOwn(line, own[index]));
    const text = lineText(width === undefined ? safe : fit(safe, width));
    const shown = width === undefined ? text : cutTo(text, width);
    return paintGlyph(shown, line, terminal);
  });
}

/** Adds a caller's own usage to its line if it differs from the branch total. */
function withOwn(line: TreeLine, own: TreeLine | undefined): TreeLine {
  const parts = own?.facts.filter((fact) => !line.facts.includes(fact)) ?? [];
  return parts.length === 0 ? line : { ...line, facts: [...line.facts, `(own ${parts.join(' ')})`] };
}

/** Makes a line safe to print. Every part except the branch and the glyph can contain text from a skill. */
function safeLine(line: TreeLine): TreeLine {
  return {
    ...line,
    name: oneLine(line.name),
    detail: oneLine(line.detail),
    facts: line.facts.map((fact) => oneLine(fact)),
  };
}

/** Fits a line to the width by truncating or removing its detail. */
function fit(line: TreeLine, width: number): TreeLine {
  const room = width - widthOf(lineText({ ...line, detail: '' })) - 1;
  return { ...line, detail: room < 2 ? '' : cutTo(line.detail, room) };
}

const colors: Readonly<Record<TreeLine['status'], Color>> = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  running: 'bold',
  waiting: 'yellow',
  interrupted: 'yellow',
  reused: 'gray',
  note: 'gray',
  artifact: 'gray',
};

function paintGlyph(text: string, { branch, glyph, status }: TreeLine, terminal: Terminal): string {
  const start = branch.length;
  if (!text.startsWith(glyph, start)) return text;
  return text.slice(0, start) + paint(glyph, colors[status], terminal) + text.slice(start + glyph.length);
}
