import { mermaidLabel } from '../../output/mermaid-label.ts';
import type { GraphEdge, GraphNode, SopGraph } from './build-graph.ts';

/** The graph as a Mermaid flowchart; no character of a name can end a label. Pure. */
export function mermaidOf({ nodes, edges }: SopGraph): string {
  const ids = new Map(nodes.map(({ name }, index) => [name, `v${index + 1}`]));
  const id = (name: string): string => ids.get(name) ?? '';
  const lines = [
    ...nodes.map((node) => `${id(node.name)}${shapeOf(node)}`),
    ...edges.map((edge) => `${id(edge.from)} ${arrowOf(edge)} ${id(edge.to)}`),
  ];
  return ['flowchart TD', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** A step is a box, with double sides where it runs for each of a list; what is no step is round. */
function shapeOf({ name, kind, command = '', isEach }: GraphNode): string {
  if (kind === 'input') return `(["${mermaidLabel(name)}"])`;
  if (kind === 'missing') return `(["${mermaidLabel(name)}<br/>not declared"])`;
  const text = `"${mermaidLabel(name)}<br/>${mermaidLabel(command)}"`;
  return isEach === true ? `[[${text}]]` : `[${text}]`;
}

function arrowOf({ kind, isNegated }: GraphEdge): string {
  if (kind === 'value') return '-->';
  if (kind === 'list') return '-->|each|';
  return isNegated === true ? '-.->|when not|' : '-.->|when|';
}
