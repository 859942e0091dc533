import type { CallEdge, CallGroup, CallNode } from '../../../agent/call-graph.ts';
import { oneLine } from '../../output/text.ts';

/** What an edge leads to, in words; one that cannot be called says why. */
export function calleeText({ to, group }: CallEdge, nodes: ReadonlyMap<string, CallNode>): string {
  if (group !== undefined) return groupText(group);
  const node = nodes.get(to);
  const name = oneLine(to);
  if (node?.kind !== 'skill') return `${name} (missing)`;
  return node.status === 'unavailable' ? `${name} (unavailable)` : name;
}

/** A group in words, with its size. */
export function groupText({ rules, except, count }: Omit<CallGroup, 'has'>): string {
  const meant =
    rules === undefined
      ? 'every other skill'
      : `all that ${listed(rules)} ${rules.length === 1 ? 'allows' : 'allow'}`;
  return `${meant}${except === undefined ? '' : ` but ${listed(except)}`} (${count.toLocaleString('en')})`;
}

function listed(rules: readonly string[]): string {
  return rules.map(oneLine).join(', ');
}
