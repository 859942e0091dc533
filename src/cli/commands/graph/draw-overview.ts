import type { CalledSkill, CallGraph } from '../../../agent/call-graph.ts';
import { arrowLines, type ArrowRow } from '../../output/arrow-lines.ts';
import { oneLine } from '../../output/text.ts';
import { withCommas } from '../../output/with-commas.ts';
import { calleeText } from './callee-text.ts';
import { edgesByCaller } from './focus.ts';

/** A line for each skill with what it may call; the package's own tools that call nothing are left out. */
export function drawOverview({ nodes, edges }: CallGraph, width: number | undefined): readonly string[] {
  const calls = edgesByCaller(edges);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const rows = nodes.filter(isCaller).map((skill): ArrowRow | undefined => {
    const own = calls.get(skill.name) ?? [];
    if (own.length === 0 && skill.source === 'bundled') return undefined;
    const callees = own.map((edge) => calleeText(edge, byName));
    return {
      ...{ start: '', stem: '', arrow: '→' },
      cells: [oneLine(skill.name), skill.family],
      parts: [...withCommas(callees.length === 0 ? ['nothing'] : callees), ...ownedText(skill)],
    };
  });
  return arrowLines(
    rows.filter((row) => row !== undefined),
    width,
  );
}

function isCaller(node: CallGraph['nodes'][number]): node is CalledSkill {
  return node.kind === 'skill' && node.status === 'ready';
}

function ownedText({ onlyThrough }: CalledSkill): readonly string[] {
  return onlyThrough === undefined ? [] : [`(only through ${onlyThrough.map(oneLine).join(', ')})`];
}
