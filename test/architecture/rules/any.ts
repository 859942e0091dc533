import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** Forbids `any`, which disables type checks. */
export const noAny: Rule = {
  name: 'any',
  find(tree) {
    return tree
      .filter(({ text }) => /\bany\b/.test(text))
      .flatMap((source) =>
        judgeNodes(source, (node) =>
          node.kind === ts.SyntaxKind.AnyKeyword ? 'Use unknown or the real type.' : undefined,
        ),
      );
  },
};
