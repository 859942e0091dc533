import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';

const entries = ['index.ts', 'earlier-names.ts', 'testing/index.ts'];

/** The public names must be listed one by one, so that none becomes public by accident. */
export const publicExports: Rule = {
  name: 'public-exports',
  find(tree) {
    return tree
      .filter((source) => entries.includes(source.path))
      .flatMap((source) =>
        judgeNodes(source, (node) => (isExportOfAll(node) ? 'Write out each public name.' : undefined)),
      );
  },
};

/** Whether a statement exports a whole module, other than the list of old names. */
function isExportOfAll(node: ts.Node): boolean {
  if (!ts.isExportDeclaration(node) || node.exportClause !== undefined) return false;
  const { moduleSpecifier } = node;
  return !(
    moduleSpecifier !== undefined &&
    ts.isStringLiteral(moduleSpecifier) &&
    moduleSpecifier.text === './earlier-names.ts'
  );
}
