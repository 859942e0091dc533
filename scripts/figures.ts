// Prints statistics of the source: the number of files, their sizes and their imports.
//
//   npm run figures               of src
//   npm run figures -- <folder>   of another tree, such as src of an older commit
import path from 'node:path';
import { dust } from '../test/architecture/rules/dust.ts';
import { folderSize, filesByFolder } from '../test/architecture/rules/folder-size.ts';
import { lazyImports } from '../test/architecture/rules/lazy-imports.ts';
import { typeNames } from '../test/architecture/rules/type-names.ts';
import { readSources, type Source } from '../test/architecture/source.ts';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..', 'src'));
const tree = readSources(root);
const parts = { all: () => true, 'without families/table': isOutsideOfTables };
const columns = Object.entries(parts).map(([name, includes]) => ({ name, rows: measure(tree, includes) }));
const labels = Object.keys(columns[0]?.rows ?? {});

const header = ['', ...columns.map(({ name }) => name)];
const lines = labels.map((label) => [label, ...columns.map(({ rows }) => String(rows[label]))]);
process.stdout.write([header, ...lines].map((line) => `${line.map(cell).join('  ')}\n`).join(''));

function cell(text: string, index: number): string {
  return index === 0 ? text.padEnd(36) : text.padStart(24);
}

function measure(
  all: readonly Source[],
  includes: (file: string) => boolean,
): Record<string, number | string> {
  const code = all.filter(({ role, path: file }) => role === 'code' && includes(file));
  const sizes = code.map(({ lines }) => lines).sort((a, b) => a - b);
  const violations = (rule: typeof dust): number =>
    rule.find(all).filter(({ file }) => includes(file)).length;
  const imports = code.map((source) => localImports(source).size);
  return {
    files: code.length,
    lines: sum(sizes),
    'median lines of a file': sizes[Math.floor((sizes.length - 1) / 2)] ?? 0,
    'largest file': sizes.at(-1) ?? 0,
    'largest folder': Math.max(...[...filesByFolder(code).values()].map(({ length }) => length)),
    'folders over 25 files': violations(folderSize),
    'small files with one importer': violations(dust),
    'duplicate names of exported types': violations(typeNames),
    'import() that saves little': violations(lazyImports),
    'local imports per file': (sum(imports) / code.length).toFixed(2),
  };
}

function localImports(source: Source): Set<string> {
  return new Set(source.imports.flatMap(({ target }) => (target === undefined ? [] : [target])));
}

function isOutsideOfTables(file: string): boolean {
  return !file.startsWith('families/table/');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
