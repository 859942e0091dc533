import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { hasModifier } from '../syntax.ts';

/** Every export must have one name, from its declaration. */
export const defaultExports: Rule = {
  name: 'default-exports',
  find(tree) {
    return tree
      .filter(({ text }) => /\bdefault\b|\bexport\s*=/.test(text))
      .flatMap((source) =>
        judgeNodes(source, (node) => (isDefaultExport(node) ? 'Export it by its name.' : undefined)),
      );
  },
};

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return hasModifier(node, ts.SyntaxKind.DefaultKeyword);
}
