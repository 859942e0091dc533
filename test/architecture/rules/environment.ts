import ts from 'typescript';
import { judgeNodes } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** Only one folder may read the environment. It passes the values on. */
export const environment: Rule = {
  name: 'environment',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code')
      .filter((source) => source.folder !== 'config')
      .filter(({ text }) => /env/.test(text))
      .flatMap((source) =>
        judgeNodes(source, (node) =>
          readsEnvironment(node) ? 'process.env is read only in config.' : undefined,
        ),
      );
  },
};

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: key } = node;
    return isProcess(node.expression) && ts.isStringLiteralLike(key) && key.text === 'env';
  }
  if (ts.isVariableDeclaration(node) && node.initializer && isProcess(node.initializer)) {
    return ts.isObjectBindingPattern(node.name) && node.name.elements.some(takesEnv);
  }
  if (ts.isImportSpecifier(node)) {
    const { moduleSpecifier } = node.parent.parent.parent;
    return takesEnv(node) && /^['"](?:node:)?process['"]$/.test(moduleSpecifier.getText());
  }
  return false;
}

// process, globalThis.process
function isProcess(node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'process';
  return ts.isIdentifier(node) && node.text === 'process';
}

function takesEnv({ name, propertyName }: ts.BindingElement | ts.ImportSpecifier): boolean {
  return (propertyName ?? name).getText() === 'env';
}
