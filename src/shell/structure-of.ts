import type { SyntaxNode, Word } from 'unbash';
import { unbash } from './load-unbash.ts';
import { isKnownPart } from './shell-word.ts';

/**
 * What a script is made of, as lines that are equal for two scripts only when they have the same commands, operators
 * and words; how a word is quoted makes no difference. `valueOf` may change the value of each word that is known.
 * Throws when the script has faults.
 */
export function structureOf(
  script: string,
  valueOf: (value: string) => string = (value) => value,
): readonly string[] {
  const lines: string[] = [];
  const waiting: { readonly node: SyntaxNode; readonly depth: number }[] = [
    { node: unbash().parse(script), depth: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    lines.push(`${depth} ${describe(node, valueOf)}`);
    const children: SyntaxNode[] = [];
    unbash().forEachChild(node, (child) => children.push(...unquoted(child)));
    for (const child of children.reverse()) waiting.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

function describe(node: SyntaxNode, valueOf: (value: string) => string): string {
  switch (node.type) {
    case 'Script':
      if ((node.errors ?? []).length > 0) throw new SyntaxError('the script has faults');
      return node.type;
    case 'Word':
      return isKnown(node) ? `Word ${JSON.stringify(valueOf(node.value))}` : 'Word';
    case 'Statement':
      return node.background === true ? 'Statement &' : 'Statement';
    case 'Pipeline':
    case 'AndOr':
    case 'TestLogical':
      return `${node.type} ${String('operators' in node ? node.operators : node.operator)}`;
    case 'Redirect':
    case 'TestUnary':
    case 'TestBinary':
      return `${node.type} ${node.operator}`;
    case 'Assignment':
      return `Assignment ${node.name}`;
    default:
      return node.type;
  }
}

/** Quotes are left out of the tree: what stands in them takes their place. */
function unquoted(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'Literal' || node.type === 'SingleQuoted') return [];
  return node.type === 'DoubleQuoted' ? node.parts.filter(({ type }) => type !== 'Literal') : [node];
}

function isKnown({ parts = [] }: Word): boolean {
  return parts.every(isKnownPart);
}
