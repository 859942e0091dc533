import { lineText, treeLines, type RunTree, type TreeLine } from '../../views/index.ts';
import type { Terminal } from '../terminal.ts';
import { paint, type Color } from './status.ts';
import { cutTo, oneLine, widthOf } from './text.ts';

/** How the tree of a run is drawn. */
interface TreeLook {
  /** Milliseconds since 1970, for what has not ended. */
  readonly now: number;
  /** Columns; undefined when nothing may be cut. */
  readonly width: number | undefined;
  readonly terminal: Terminal;
  /** Nobody works on the run any more. */
  readonly isInterrupted?: boolean;
}

/** The tree of a run in lines that are safe to print; where calls cost something, each caller's own part is said, too. */
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

/** Amounts are those of the whole branch; what of it is the caller's own stands behind them where it differs. */
function withOwn(line: TreeLine, own: TreeLine | undefined): TreeLine {
  const parts = own?.facts.filter((fact) => !line.facts.includes(fact)) ?? [];
  return parts.length === 0 ? line : { ...line, facts: [...line.facts, `(own ${parts.join(' ')})`] };
}

/** The branch and the glyph are ours; everything else may come from a skill. */
function safeLine(line: TreeLine): TreeLine {
  return {
    ...line,
    name: oneLine(line.name),
    detail: oneLine(line.detail),
    facts: line.facts.map((fact) => oneLine(fact)),
  };
}

/** The detail gives way before anything else does. */
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
