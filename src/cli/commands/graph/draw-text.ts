import type { CallEdge, CallGraph, CallNode, GraphSkill } from '../../../agent/call-graph.ts';
import { arrowLines, cutTo, oneLine, withCommas, type ArrowRow } from '../../command-kit.ts';
import { boundText, calleeText, edgesByCaller, type Focus } from './focus.ts';

/** Draws one line per skill with its allowed calls. Omits built-in tools without allowed calls. */
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
      parts: [
        ...withCommas(callees.length === 0 ? ['nothing'] : callees),
        ...boundParts(skill),
        ...ownedText(skill),
      ],
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

function boundParts({ allowedTools }: GraphSkill): readonly string[] {
  return allowedTools === undefined ? [] : [`(tools below: ${boundText(allowedTools.rules)})`];
}

function ownedText({ onlyThrough }: GraphSkill): readonly string[] {
  return onlyThrough === undefined ? [] : [`(only through ${onlyThrough.map(oneLine).join(', ')})`];
}

/** The maximum depth of a tree. The default limits stop runs before calls are nested this deeply. */
const deepest = 32;

/**
 * Draws a skill as a tree of its allowed calls. A skill is marked and not expanded if it calls itself, even
 * indirectly, was already drawn above, or is nested too deeply.
 */
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
  /** The skills whose allowed calls have already been drawn. */
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
    const refusing = path.find((name) => refuses(nodes.get(name), edge));
    if (refusing !== undefined)
      yield `${start}${oneLine(to)} (not in the allowed tools of ${oneLine(refusing)})`;
    else if (group !== undefined || !isReady(node)) yield `${start}${calleeText(edge, nodes)}`;
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

function refuses(node: CallNode | undefined, { to, group }: CallEdge): boolean {
  return node?.kind === 'skill' && group === undefined && node.allowedTools?.lets(to) === false;
}

function titleOf({ name, family, allowedTools }: GraphSkill): string {
  const bound = allowedTools === undefined ? '' : `  (tools below: ${boundText(allowedTools.rules)})`;
  return `${oneLine(name)}  ${family}${bound}`;
}
