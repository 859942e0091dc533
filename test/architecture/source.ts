import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { findImports } from './imports.ts';
import type { Import } from './imports.ts';
import type { Files } from './sample.ts';
import { visit } from './syntax.ts';

/** A TypeScript file of the tree, parsed but not type-checked. */
export interface Source {
  /** The path relative to the root of the tree, with forward slashes. */
  readonly path: string;
  /** The first folder of the path. Empty for files at the root. */
  readonly folder: string;
  /** Fewer rules apply to tests and fixtures than to shipped code. */
  readonly role: 'code' | 'test' | 'fixture';
  readonly text: string;
  readonly lines: number;
  /** The syntax tree. Parsed on first use. */
  readonly syntax: ts.SourceFile;
  /** All nodes of the syntax tree, in the order of the text. */
  readonly nodes: readonly ts.Node[];
  readonly imports: readonly Import[];
}

/** Reads all TypeScript files below a root, sorted by path. */
export function readSources(root: string): Source[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  return sourcesOf(
    Object.fromEntries(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])),
  );
}

/** Returns the sources of a tree with these files, sorted by path. */
export function sourcesOf(files: Files): Source[] {
  return Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => new LazySource(file, text));
}

/** A source that is parsed at most once, and only if a rule needs more than its text. */
class LazySource implements Source {
  readonly path: string;
  readonly folder: string;
  readonly role: Source['role'];
  readonly text: string;
  readonly lines: number;
  #syntax: ts.SourceFile | undefined;
  #nodes: readonly ts.Node[] | undefined;
  #imports: readonly Import[] | undefined;

  constructor(file: string, text: string) {
    this.path = file;
    this.folder = file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
    this.role = roleOf(file);
    this.text = text;
    this.lines = text.trimEnd().split('\n').length;
  }

  get syntax(): ts.SourceFile {
    const options = {
      languageVersion: ts.ScriptTarget.Latest,
      jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    };
    return (this.#syntax ??= ts.createSourceFile(this.path, this.text, options, true));
  }

  get nodes(): readonly ts.Node[] {
    if (this.#nodes === undefined) {
      const nodes: ts.Node[] = [];
      visit(this.syntax, (node) => nodes.push(node));
      this.#nodes = nodes;
    }
    return this.#nodes;
  }

  get imports(): readonly Import[] {
    return (this.#imports ??= findImports(this));
  }
}

function roleOf(file: string): Source['role'] {
  if (file.split('/').includes('fixtures')) return 'fixture';
  return /\.(?:test|test-d|stress|fuzz)\.ts$/.test(file) ? 'test' : 'code';
}
