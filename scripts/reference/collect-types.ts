import ts from 'typescript';
import { findType } from './read-source.ts';

/** Short forms of types that are described elsewhere or whose details do not help readers. */
const short: Readonly<Record<string, string>> = {
  ErrorCode: '/** One of errors.md. */\ntype ErrorCode = string;',
};

/** Returns the text of all type declarations to which the nodes refer, directly or indirectly. */
export function collectTypes(nodes: readonly ts.Node[], source: ts.SourceFile): string {
  const found = new Map<string, string>();
  const visit = (node: ts.Node, from: ts.SourceFile): void => {
    if (ts.isTypeReferenceNode(node)) take(node.typeName.getText(), from);
    ts.forEachChild(node, (child) => visit(child, from));
  };
  const take = (name: string, from: ts.SourceFile): void => {
    if (found.has(name)) return;
    const declared = findType(name, from);
    if (declared === undefined) return; // a built-in type
    found.set(name, short[name] ?? textOf(declared));
    if (short[name] === undefined) visit(declared, declared.getSourceFile());
  };
  for (const node of nodes) visit(node, source);
  return [...found.values()].join('\n\n');
}

function textOf(declared: ts.Node): string {
  const comment = declared
    .getFullText()
    .slice(0, declared.getStart() - declared.getFullStart())
    .trim();
  return `${comment}\n${declared.getText()}`.replaceAll(/\b(?:export|readonly) /g, '');
}
