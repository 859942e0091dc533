import type { CallEdge, CallGraph, CallNode, GraphSkill } from '../../../agent/call-graph.ts';
import { arrowLines, cutTo, oneLine, withCommas, type ArrowRow } from '../../command-kit.ts';
import { calleeText, edgesByCaller, type Focus } from './focus.ts';

/** A line for each skill with what it may call; the package's own tools that call nothing are left out. */
export function drawOverview({ nodes, edges }: CallGraph, width: number | undefined): readonly string[] {
  const calls = edgesByCaller(edges);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const rows = nodes.filter(isCaller).map((skill): ArrowRow | undefined => {
    const own = calls.get(skill.name) ?? [];
    if (own.length === 0 && skill.source === 'bundled') return undefined;
    const callees = own.map((edge) => calleeText(edge, byName));
    return {
      start: '',
      stem: '',
      arrow: '→',
      cells: [oneLine(skill.name), skill.family],
      parts: [...withCommas(callees.length === 0 ? ['nothing'] : callees), ...ownedText(skill)],
    };
  });
  return arrowLines(
    rows.filter((row) => row !== undefined),
    width,
  );
}

function isCaller(node: CallGraph['nodes'][number]): node is GraphSkill {
  return node.kind === 'skill' && node.status === 'ready';
}

function ownedText({ onlyThrough }: GraphSkill): readonly string[] {
  return onlyThrough === undefined ? [] : [`(only through ${onlyThrough.map(oneLine).join(', ')})`];
}

/** Calls do not nest deeper than this in a run either, unless its limits were raised by far. */
const deepest = 32;

/** A skill with what it may call below it: what leads back to a caller, stood above already, or goes on too deep is marked and not drawn again. */
export function drawTree({ skill, below }: Focus, width: number | undefined): readonly string[] {
  const drawing: Drawing = {
    calls: edgesByCaller(below.edges),
    nodes: new Map(below.nodes.map((node) => [node.name, node])),
    drawn: new Set([skill.name]),
  };
  const lines = [titleOf(skill), ...linesBelow(drawing, [skill.name], '')];
  return lines.map((line) => (width === undefined ? line : cutTo(line, width)));
}

interface Drawing {
  readonly calls: ReadonlyMap<string, readonly CallEdge[]>;
  readonly nodes: ReadonlyMap<string, CallNode>;
  /** Those whose calls stand somewhere. */
  readonly drawn: Set<string>;
}

function* linesBelow(drawing: Drawing, path: readonly string[], indent: string): Generator<string> {
  const { calls, nodes, drawn } = drawing;
  const edges = calls.get(path.at(-1) ?? '') ?? [];
  for (const [index, edge] of edges.entries()) {
    const isLast = index === edges.length - 1;
    const { to, group } = edge;
    const start = `${indent}${isLast ? '└' : '├'} `;
    const node = nodes.get(to);
    if (group !== undefined || !isReady(node)) yield `${start}${calleeText(edge, nodes)}`;
    else if (!calls.has(to)) yield `${start}${titleOf(node)}`;
    else if (path.includes(to)) yield `${start}${oneLine(to)} ↻`;
    else if (drawn.has(to)) yield `${start}${oneLine(to)} (above)`;
    else if (path.length > deepest) yield `${start}${oneLine(to)} …`;
    else {
      drawn.add(to);
      yield `${start}${titleOf(node)}`;
      yield* linesBelow(drawing, [...path, to], `${indent}${isLast ? ' ' : '│'} `);
    }
  }
}

function isReady(node: CallNode | undefined): node is GraphSkill {
  return node?.kind === 'skill' && node.status !== 'unavailable';
}

function titleOf({ name, family }: GraphSkill): string {
  return `${oneLine(name)}  ${family}`;
}
