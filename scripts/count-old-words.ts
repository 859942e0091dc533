// Counts words of the old vocabulary in the project's names: declared identifiers and files.
//
//   node scripts/count-old-words.ts
//
// Prints one line per word and each name that contains an old word. Exits with 1 if there is such a name. The
// vocabulary's `exceptions` list the names in which a word is allowed, with the reason.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { exceptions, oldWords, type Exception } from './old-words/vocabulary.ts';

/** A name that contains an old word without an exception. */
interface OldName {
  readonly word: string;
  readonly name: string;
  /** The file and the line of the first declaration of the name in the file. */
  readonly where: string;
}

/** The result of checking the project's names. */
export interface NameCount {
  readonly found: readonly OldName[];
  /** The exceptions that no longer match any name. */
  readonly unused: readonly string[];
}

const root = path.join(import.meta.dirname, '..');
const roots = ['src', 'test', 'bench', 'scripts', 'examples'];
const skipped = new Set(['node_modules', 'fixtures', 'workshop']);

/** Counts the old words in the names of identifiers and files. */
export function countOldWords(): NameCount {
  const used = new Set<Exception>();
  const found: OldName[] = [];
  const check = (name: string, file: string, where: string): void => {
    const word = oldWordIn(name);
    if (word === undefined) return;
    const exception = exceptions.find((one) => isExcepted(one, name, word, file));
    if (exception === undefined) found.push({ word, name, where });
    else used.add(exception);
  };
  for (const file of roots.flatMap(filesBelow)) {
    for (const name of file.replace(/\.\w+$/, '').split('/')) check(name, file, file);
    if (!/\.[jt]s$/.test(file) || file === 'scripts/old-words/vocabulary.ts') continue;
    for (const [name, line] of declaredNames(file)) check(name, file, `${file}:${line}`);
  }
  const unused = exceptions.filter((one) => !used.has(one)).map(({ reason }) => reason);
  return { found, unused };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

/**
 * Returns the old word that is one of the parts of a name. `placeOfRuns` contains `place`, but `placement`
 * does not.
 */
function oldWordIn(name: string): string | undefined {
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const text = ` ${parts.join(' ')} `;
  return phrases.find(([phrase]) => text.includes(phrase))?.[1];
}

const phrases = Object.keys(oldWords).map((word): [phrase: string, word: string] => [
  ` ${word.replaceAll(/[A-Z]/g, ' $&').toLowerCase()} `,
  word,
]);

function isExcepted(exception: Exception, name: string, word: string, file: string): boolean {
  const { names, words, below, inTests } = exception;
  if (inTests && !/^test\/|\.(?:test|stress)\.ts$/.test(file)) return false;
  const isNamed = names?.includes(name) ?? words?.includes(word) ?? true;
  return isNamed && (below === undefined || below.some((start) => file.startsWith(start)));
}

/** Returns the names that a file declares, each with the line of its first declaration. */
function declaredNames(file: string): ReadonlyMap<string, number> {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names = new Map<string, number>();
  const visit = (node: ts.Node): void => {
    if (isDeclaredName(node) && !isOfEarlierRelease(node.parent) && !names.has(node.text))
      names.set(node.text, source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** Whether a node is the name in a declaration but not an imported name. */
function isDeclaredName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) return false;
  return (parent as { readonly name?: ts.Node }).name === node;
}

/** Whether a declaration is a deprecated name from an earlier release. */
function isOfEarlierRelease(declaration: ts.Node): boolean {
  return ts.getJSDocDeprecatedTag(declaration) !== undefined;
}

if (import.meta.main) {
  const { found, unused } = countOldWords();
  for (const [word, instead] of Object.entries(oldWords)) {
    const names = found.filter((one) => one.word === word);
    process.stdout.write(`${String(names.length).padStart(5)}  ${word} (${instead})\n`);
    for (const { name, where } of names) process.stdout.write(`       ${name}  ${where}\n`);
  }
  for (const reason of unused) process.stdout.write(`unused exception: ${reason}\n`);
  process.stdout.write(`${String(found.length).padStart(5)}  in all\n`);
  process.exitCode = found.length + unused.length === 0 ? 0 : 1;
}
