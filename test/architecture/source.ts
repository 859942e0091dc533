import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { findImports } from './imports.ts';
import type { Import } from './imports.ts';

/** One TypeScript file of the tree, parsed but not type-checked. */
export interface Source {
  /** Relative to the root of the tree, with forward slashes. */
  readonly path: string;
  /** The first folder of the path; empty for files at the root. */
  readonly folder: string;
  /** Tests and fixtures keep fewer rules than the code that is shipped. */
  readonly role: 'code' | 'test' | 'fixture';
  readonly text: string;
  readonly lines: number;
  readonly syntax: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** Parses every TypeScript file below a root, in the order of their paths. */
export function readSources(root: string): Source[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort()
    .map((file) => parseSource(file, readFileSync(path.join(root, file), 'utf8')));
}

const parsed = new Map<string, Source>();

/** The same file with the same text is parsed once, in whatever tree it lies. */
function parseSource(file: string, text: string): Source {
  const key = `${file}\0${text}`;
  const source = parsed.get(key) ?? parseText(file, text);
  parsed.set(key, source);
  return source;
}

function parseText(file: string, text: string): Source {
  const syntax = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return {
    path: file,
    folder: file.includes('/') ? file.slice(0, file.indexOf('/')) : '',
    role: roleOf(file),
    text,
    lines: text.trimEnd().split('\n').length,
    syntax,
    imports: findImports(syntax, file),
  };
}

function roleOf(file: string): Source['role'] {
  if (file.split('/').includes('fixtures')) return 'fixture';
  return /\.(?:test|test-d|stress|fuzz)\.ts$/.test(file) ? 'test' : 'code';
}
