import path from 'node:path';
import ts from 'typescript';
import { fenceOf, pageHead } from './markdown.ts';
import { readSource } from './read-source.ts';

type Declared =
  | ts.ClassDeclaration
  | ts.FunctionDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableStatement;

/** A declaration that programs can use. */
interface Exported {
  readonly node: Declared;
  /** Whether a class is exported only as a type and therefore cannot be constructed. */
  readonly isType: boolean;
}

const entries = { skilled: 'src/index.ts', 'skilled/testing': 'src/testing/index.ts' };

/** Builds the library reference: every declaration that a program can import, except deprecated names. */
export function buildApiPage(): string {
  const parts = Object.entries(entries).map(([name, file]) => ({ name, exported: exportsOf(file) }));
  const names = new Set(parts.flatMap(({ exported }) => [...exported.keys()]));
  const all = parts.flatMap(({ exported }) => [...exported.values()]);
  const others = [...referencedBy(all, names).values()]
    .filter((node) => !all.some((one) => baseOf(one.node) === node))
    .map((node) => textOf({ node, isType: true }));
  return [
    pageHead('Library API', Object.values(entries).join(' and ')),
    'Everything that a program can import, without `readonly` and function bodies. [Library](../library.md) explains how to use it, [concepts](../concepts.md) explains words such as *frame* and *family*, and [errors](errors.md) explains each error code.\n',
    ...parts.map(({ name, exported }) => sectionOf(name, exported)),
    '## Types that are not exported\n',
    'The declarations above refer to these. You cannot import them.\n',
    fenceOf('typescript', others.join('\n\n')),
  ].join('\n');
}

function sectionOf(name: string, exported: ReadonlyMap<string, Exported>): string {
  const all = [...exported].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const textsOf = (ofTypes: boolean): string =>
    all
      .filter(([, { isType }]) => isType === ofTypes)
      .map(([, one]) => textOf(one))
      .join('\n\n');
  return [
    `## ${name}\n`,
    '### Classes, functions and constants\n',
    fenceOf('typescript', textsOf(false)),
    '### Types\n',
    fenceOf('typescript', textsOf(true)),
  ].join('\n');
}

/** Returns the names that a file exports, with their declarations. */
function exportsOf(file: string): ReadonlyMap<string, Exported> {
  const found = new Map<string, Exported>();
  for (const statement of parsed(file).statements) {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    const from = importedFile(file, statement);
    for (const specifier of statement.exportClause.elements) {
      const { name, propertyName, isTypeOnly } = specifier;
      const node = declarationOf(propertyName?.text ?? name.text, from);
      if (node === undefined) throw new Error(`${from} does not declare ${name.text}.`);
      if (isDeprecated(specifier) || isDeprecated(node)) continue;
      const isType = statement.isTypeOnly || isTypeOnly || !isValue(node);
      found.set(name.text, { node, isType });
    }
  }
  return found;
}

function isValue(node: Declared): boolean {
  return !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node);
}

/**
 * Returns the project's types to which the declarations refer, directly or indirectly. Excludes the given
 * names.
 */
function referencedBy(
  exported: readonly Exported[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, Declared> {
  const found = new Map<string, Declared>();
  const visit = (node: ts.Node, isType: boolean): void => {
    if (isHidden(node, isType) || ts.isBlock(node)) return;
    if (ts.isTypeReferenceNode(node)) take(node.typeName.getText(), node.getSourceFile().fileName);
    if (ts.isExpressionWithTypeArguments(node))
      take(node.expression.getText(), node.getSourceFile().fileName);
    ts.forEachChild(node, (child) => {
      visit(child, isType);
    });
  };
  const take = (name: string, file: string): void => {
    if (names.has(name) || found.has(name)) return;
    const node = declarationOf(name, file);
    if (node === undefined || isDeprecated(node)) return; // undefined for a built-in type or a type parameter
    found.set(name, node);
    visit(node, true);
  };
  for (const { node, isType } of exported) visit(node, isType);
  return found;
}

/**
 * Returns the base class of a class. Programs see the members of the base class as members of the subclass.
 */
function baseOf(node: ts.Node): ts.ClassDeclaration | undefined {
  if (!ts.isClassDeclaration(node)) return undefined;
  const clause = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const name = clause?.types[0]?.expression.getText();
  const base = name === undefined ? undefined : declarationOf(name, node.getSourceFile().fileName);
  return base !== undefined && ts.isClassDeclaration(base) ? base : undefined;
}

/** Returns the declaration of a name, either in the file or in the file from which the name is imported. */
function declarationOf(name: string, file: string): Declared | undefined {
  for (const statement of parsed(file).statements) {
    if (declares(statement, name)) return statement;
    const isImport = ts.isImportDeclaration(statement) && importsName(statement, name);
    const isExport = ts.isExportDeclaration(statement) && reExports(statement, name);
    const from = isImport || isExport ? importedFile(file, statement) : undefined;
    if (from === undefined || !from.startsWith('src/')) continue;
    const found = declarationOf(name, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

function declares(node: ts.Statement, name: string): node is Declared {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.some((declaration) => declaration.name.getText() === name);
  const isNamed =
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isNamed && node.name?.text === name;
}

function importsName({ importClause }: ts.ImportDeclaration, name: string): boolean {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.some((element) => element.name.text === name);
}

function reExports({ exportClause, moduleSpecifier }: ts.ExportDeclaration, name: string): boolean {
  if (moduleSpecifier === undefined) return false;
  if (exportClause === undefined) return true;
  return ts.isNamedExports(exportClause) && exportClause.elements.some((one) => one.name.text === name);
}

function importedFile(
  file: string,
  { moduleSpecifier }: ts.ImportDeclaration | ts.ExportDeclaration,
): string {
  const specifier =
    moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  return specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier;
}

const files = new Map<string, ts.SourceFile>();

function parsed(file: string): ts.SourceFile {
  const known = files.get(file) ?? readSource(file);
  files.set(file, known);
  return known;
}

/** Formats a declaration with its comments, but without bodies and inaccessible members. */
function textOf({ node, isType }: Exported): string {
  const source = node.getSourceFile();
  let text = '';
  let at = node.getFullStart();
  const cut = (from: number, to: number, instead: string): void => {
    text += source.text.slice(at, from) + instead;
    at = to;
  };
  const visit = (part: ts.Node): void => {
    if (isHidden(part, isType)) return cut(part.getFullStart(), part.end, '');
    if (ts.isBlock(part)) return cut(part.getFullStart(), part.end, ';');
    if (hasVisibleType(part)) return cut(part.name.end, part.end, `: ${typeTextOf(part)}`);
    const literals = literalsOf(part);
    if (literals !== undefined) return cut(part.getStart(), part.end, literals.join(' | '));
    ts.forEachChild(part, visit);
  };
  visit(node);
  text += source.text.slice(at, node.end);
  const base = baseOf(node);
  return (base === undefined ? text : withMembersOf(base, text))
    .replaceAll(/^[^\S\n]*\/\/.*\n/gm, '')
    .replaceAll(/^(\s*)(?:export |readonly |async )+/gm, '$1')
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
}

/**
 * Adds the members of the base class to the text of a class, because programs cannot import the base class.
 */
function withMembersOf(base: ts.ClassDeclaration, text: string): string {
  const members = textOf({ node: base, isType: true }).replace(/^[^{]*\{\n?/, '');
  const body = text.replace(/ extends \w+(?= (?:implements|\{))/, '').replace(/\}\s*$/, '');
  return `${body.trimEnd()}\n${members}`;
}

/** Whether a node is a constant or a field whose type can be shown instead of its value. */
function hasVisibleType(node: ts.Node): node is ts.VariableDeclaration | ts.PropertyDeclaration {
  return (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.initializer !== undefined;
}

function typeTextOf({ type, initializer }: ts.VariableDeclaration | ts.PropertyDeclaration): string {
  if (type !== undefined) return type.getText();
  const isText =
    initializer !== undefined &&
    (ts.isStringLiteralLike(initializer) || ts.isTemplateExpression(initializer));
  return isText ? 'string' : 'object';
}

/**
 * Returns the values of `typeof name` or `(typeof name)[number]`, where `name` is a constant that contains
 * literals.
 */
function literalsOf(node: ts.Node): readonly string[] | undefined {
  if (ts.isIndexedAccessTypeNode(node)) {
    const { objectType } = node;
    return literalsOf(ts.isParenthesizedTypeNode(objectType) ? objectType.type : objectType);
  }
  if (!ts.isTypeQueryNode(node)) return undefined;
  const name = node.exprName.getText();
  const declared = declarationOf(name, node.getSourceFile().fileName);
  if (declared === undefined || !ts.isVariableStatement(declared)) return undefined;
  const found = declared.declarationList.declarations.find((one) => one.name.getText() === name)?.initializer;
  const value = found !== undefined && ts.isAsExpression(found) ? found.expression : found;
  if (value === undefined || ts.isFunctionLike(value)) return undefined;
  return ts.isArrayLiteralExpression(value)
    ? value.elements.map((element) => element.getText())
    : [value.getText()];
}

/**
 * Whether a member is private, internal or deprecated, or is a constructor or an implementation signature
 * that programs cannot call.
 */
function isHidden(node: ts.Node, isType: boolean): boolean {
  if (ts.isHeritageClause(node)) return node.types.every(({ expression }) => isDeprecatedType(expression));
  if (isDeprecated(node) || isInternal(node) || isImplementation(node)) return true;
  if (ts.isConstructorDeclaration(node)) return isType;
  if (!ts.isClassElement(node)) return false;
  const { name } = node;
  if (name === undefined) return false;
  return (
    ts.isPrivateIdentifier(name) || (ts.isComputedPropertyName(name) && ts.isIdentifier(name.expression))
  );
}

function isInternal(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
}

/** Whether a method is only the implementation of the overloads that precede it. */
function isImplementation(node: ts.Node): boolean {
  if (!ts.isMethodDeclaration(node) || node.body === undefined) return false;
  const { members } = node.parent as ts.ClassDeclaration;
  return members.some(
    (other) =>
      ts.isMethodDeclaration(other) && other !== node && other.name.getText() === node.name.getText(),
  );
}

function isDeprecatedType(expression: ts.Expression): boolean {
  const node = declarationOf(expression.getText(), expression.getSourceFile().fileName);
  return node !== undefined && isDeprecated(node);
}

/** Whether a declaration is marked as deprecated, or is an interface whose members are all deprecated. */
function isDeprecated(node: ts.Node): boolean {
  if (ts.getJSDocDeprecatedTag(node) !== undefined) return true;
  if (!ts.isInterfaceDeclaration(node) || node.heritageClauses !== undefined) return false;
  return node.members.length > 0 && node.members.every(isDeprecated);
}
