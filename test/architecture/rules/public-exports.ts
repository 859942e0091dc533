import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';

const entries = ['index.ts', 'testing/index.ts'];

/** The public names are written out one by one, so that none becomes public by accident. */
export const publicExports: Rule = {
  name: 'public-exports',
  find(tree) {
    return tree
      .filter((source) => entries.includes(source.path))
      .flatMap((source) =>
        judgeNodes(source, (node) =>
          ts.isExportDeclaration(node) && !node.exportClause ? 'Write out each public name.' : undefined,
        ),
      );
  },
};
