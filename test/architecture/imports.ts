import path from 'node:path';
import ts from 'typescript';
import type { Source } from './source.ts';
import { lineOf } from './syntax.ts';

/** A reference from a file to another module. */
export interface Import {
  readonly specifier: string;
  /** `type` disappears when types are stripped; `lazy` loads when it is called; `value` loads with the file. */
  readonly kind: 'value' | 'type' | 'lazy';
  readonly line: number;
  /** The imported file, relative to the root of the tree. Absent for packages and built-in modules. */
  readonly target?: string;
}

/** Returns every import, re-export, import type, `import()` and `require()` with a literal specifier. */
export function findImports(source: Pick<Source, 'path' | 'syntax' | 'nodes'>): Import[] {
  const found: Import[] = [];
  for (const node of source.nodes) {
    const reference = referenceOf(node);
    if (!reference) continue;
    const { specifier, kind } = reference;
    const line = lineOf(source.syntax, node);
    const target = path.posix.join(path.posix.dirname(source.path), specifier);
    found.push(specifier.startsWith('.') ? { specifier, kind, line, target } : { specifier, kind, line });
  }
  return found;
}

function referenceOf(node: ts.Node): Pick<Import, 'specifier' | 'kind'> | undefined {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return literal(node.moduleSpecifier, typeOnly ? 'type' : 'value');
  }
  if (ts.isExportDeclaration(node)) return literal(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal, 'type') : undefined;
  }
  if (ts.isCallExpression(node)) return isLoad(node) ? literal(node.arguments[0], 'lazy') : undefined;
  return undefined;
}

function isLoad({ expression }: ts.CallExpression): boolean {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(expression) && expression.text === 'require';
}

function literal(
  node: ts.Node | undefined,
  kind: Import['kind'],
): Pick<Import, 'specifier' | 'kind'> | undefined {
  return node && ts.isStringLiteralLike(node) ? { specifier: node.text, kind } : undefined;
}
