import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The project folder. */
export const root = path.join(import.meta.dirname, '../..');

/** Parses a project file without type checking. */
export function readSource(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Returns the comment directly above a node without its markers, or an empty string if there is none. */
export function commentAbove(node: ts.Node): string {
  const source = node.getSourceFile();
  const before = source.text.slice(previousEnd(node), node.getStart());
  const found = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/[\s|]*$/.exec(before)?.[1] ?? '';
  return found.replaceAll(/\n\s*\*?/g, ' ').trim();
}

/**
 * Returns the position at which the text before a node ends. In a union, the comment of a member precedes its
 * bar.
 */
function previousEnd(node: ts.Node): number {
  const siblings: ts.Node[] = [];
  ts.forEachChild(node.parent, (child) => void siblings.push(child));
  return siblings[siblings.indexOf(node) - 1]?.end ?? node.parent.getFullStart();
}

/** Finds a type or interface by name in a file and in the files that it imports. */
export function findType(
  name: string,
  source: ts.SourceFile,
): ts.InterfaceDeclaration | ts.TypeAliasDeclaration | undefined {
  for (const statement of source.statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (isType && statement.name.text === name) return statement;
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    const isImported =
      bindings !== undefined &&
      ts.isNamedImports(bindings) &&
      bindings.elements.some((element) => element.name.text === name);
    if (isImported)
      return findType(
        name,
        readSource(path.join(path.dirname(source.fileName), statement.moduleSpecifier.text)),
      );
  }
  return undefined;
}

/** Returns the list or object that a file assigns to a constant. Throws if there is no such constant. */
export function literalOf<Literal extends ts.Node>(
  source: ts.SourceFile,
  name: string,
  is: (node: ts.Node) => node is Literal,
): Literal {
  let found: Literal | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer !== undefined) {
      const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (is(value)) found = value;
    } else ts.forEachChild(node, visit);
  };
  visit(source);
  if (found === undefined) throw new Error(`${source.fileName} has no ${name}.`);
  return found;
}
