import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { visit } from '../architecture/syntax.ts';
import { root } from './pages.ts';

/** The issue codes that a source tree can report. */
export interface IssueCodes {
  readonly codes: ReadonlySet<string>;
  /** The known prefixes of codes whose suffix depends on runtime values. */
  readonly starts: ReadonlySet<string>;
}

/**
 * Finds the codes in the shipped source by syntax alone: the `code` property of an object with a level, and
 * the argument for a parameter that is typed as an issue code. A type checker would find the same codes in
 * ten times the time.
 */
export function findIssueCodes(): IssueCodes {
  const files = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !/\.(?:test|test-d|stress|fuzz)\.ts$|\/fixtures\/|^src\/testing\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const reporters = new Map(
    files.filter(({ text }) => codeType.test(text)).map((source) => [source.file, reportersIn(source)]),
  );
  const names = [...reporters.values()].flatMap((some) => [...some.keys()]);
  const reports = new RegExp(`\\blevel\\b|\\b(?:${names.join('|')})\\(`);
  const codes = new Set<string>();
  const starts = new Set<string>();
  for (const source of files.filter(({ text }) => reports.test(text))) {
    const syntax = parse(source);
    const known = reportersFor(syntax, reporters);
    visit(syntax, (node) => {
      for (const text of codeIn(node, known)) (text.endsWith('.') ? starts : codes).add(text);
    });
  }
  return { codes, starts };
}

interface Text {
  readonly file: string;
  readonly text: string;
}

// Matches the type of a parameter that takes an issue code: any code, or codes with a known prefix.
const codeType = /\bIssue\['code'\]|`[a-z]+\.\$\{string\}`/;

/** Functions that take an issue code, with the position of that parameter. */
type Reporters = ReadonlyMap<string, number>;

/** Returns the reporters that a file declares. */
function reportersIn(source: Text): Reporters {
  const found = new Map<string, number>();
  visit(parse(source), (node) => {
    if (!ts.isParameter(node) || !codeType.test(node.type?.getText() ?? '')) return;
    const { parent } = node;
    const named = ts.isArrowFunction(parent) ? parent.parent : parent;
    const name = 'name' in named ? (named.name as ts.Node | undefined)?.getText() : undefined;
    if (name === undefined)
      throw new Error(`${source.file} takes the code of an issue in a function without a name.`);
    found.set(name, parent.parameters.indexOf(node));
  });
  return found;
}

/** Returns the reporters that a file declares or imports. */
function reportersFor(syntax: ts.SourceFile, all: ReadonlyMap<string, Reporters>): Reporters {
  const imported = syntax.statements
    .filter(ts.isImportDeclaration)
    .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
    .map((specifier) => join(dirname(syntax.fileName), specifier));
  return new Map([syntax.fileName, ...imported].flatMap((file) => [...(all.get(file) ?? [])]));
}

function codeIn(node: ts.Node, reporters: Reporters): readonly string[] {
  if (ts.isCallExpression(node)) {
    const position = reporters.get(node.expression.getText());
    return position === undefined ? [] : textsOf(node.arguments[position]);
  }
  if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'code') return [];
  const hasLevel = node.parent.properties.some((property) => property.name?.getText() === 'level');
  return hasLevel ? textsOf(node.initializer) : [];
}

/**
 * Returns the strings that an expression can evaluate to. For a template with an unknown part, returns its
 * prefix.
 */
function textsOf(node: ts.Expression | undefined): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (!ts.isTemplateExpression(node)) return [];
  const [part, ...more] = node.templateSpans;
  const ends = part && more.length === 0 && part.literal.text === '' ? literalsOf(part.expression) : [];
  return ends.length > 0 ? ends.map((end) => node.head.text + end) : [node.head.text];
}

/** Returns the string literals in a parameter's type. */
function literalsOf(name: ts.Expression): readonly string[] {
  const parameter = ts
    .findAncestor(name, ts.isFunctionLike)
    ?.parameters.find((one) => one.name.getText() === name.getText());
  return [...(parameter?.type?.getText().matchAll(/'([^']*)'/g) ?? [])].map(([, text = '']) => text);
}

function parse({ file, text }: Text): ts.SourceFile {
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  return ts.createSourceFile(file, text, options, true);
}
