import { oneLine } from '../../output/text.ts';
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
  if (kind === 'input') return `(["${label(name)}"])`;
  if (kind === 'missing') return `(["${label(name)}<br/>not declared"])`;
  const text = `"${label(name)}<br/>${label(command)}"`;
  return isEach === true ? `[[${text}]]` : `[${text}]`;
}

function arrowOf({ kind, isNegated }: GraphEdge): string {
  if (kind === 'value') return '-->';
  if (kind === 'list') return '-->|each|';
  return isNegated === true ? '-.->|when not|' : '-.->|when|';
}

/** Whatever could mean something to Mermaid or to HTML is written as the number of its character. */
function label(text: string): string {
  return oneLine(text).replace(/[^\p{L}\p{M}\p{N} _.,/$-]/gu, (letter) => `#${letter.codePointAt(0) ?? 0};`);
}
