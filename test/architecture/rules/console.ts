import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** Only the command line may write to the terminal. */
export const noConsole: Rule = {
  name: 'console',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code' && source.folder !== 'cli')
      .filter(({ text }) => /console/.test(text))
      .flatMap((source) =>
        judgeNodes(source, (node) => (isConsole(node) ? 'console is used only in cli.' : undefined)),
      );
  },
};

function isConsole(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node)) return node.text === 'node:console';
  if (!ts.isIdentifier(node) || node.text !== 'console') return false;
  const { parent } = node;
  return !((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node);
}
