import ts from 'typescript';
import { at, type Diagnostic, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';
import { hasModifier } from '../syntax.ts';

/** The names of exported types must be unique, so that a search finds one declaration. */
export const typeNames: Rule = {
  name: 'type-names',
  find(tree) {
    const owners = new Map<string, Source>();
    const found: Diagnostic[] = [];
    for (const source of tree.filter(({ role }) => role === 'code')) {
      for (const node of source.syntax.statements.filter(isExportedType)) {
        const name = node.name?.text ?? '';
        const owner = owners.get(name);
        if (owner === undefined) owners.set(name, source);
        else found.push(at(source, node, `${name} is also the name of a type in ${owner.path}.`));
      }
    }
    return found;
  },
};

function isExportedType(
  node: ts.Statement,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  const isType =
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
  return isType && hasModifier(node, ts.SyntaxKind.ExportKeyword);
}
