import type ts from 'typescript';
import type { Source } from './source.ts';
import { lineOf } from './syntax.ts';

/** A position that breaks a rule. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A rule about the whole tree. Pure. */
export interface Rule {
  readonly name: string;
  find(tree: readonly Source[]): Diagnostic[];
}

/** Creates the diagnostic for a position in a file. */
export function at(source: Source, where: ts.Node | number, message: string): Diagnostic {
  const line = typeof where === 'number' ? where : lineOf(source.syntax, where);
  return { file: source.path, line, message };
}

/**
 * Calls `judge` with every node of each file, and returns its diagnostics. Filter by text first, so that fewer
 * files are parsed.
 */
export function judgeNodes(source: Source, judge: (node: ts.Node) => string | undefined): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const node of source.nodes) {
    const message = judge(node);
    if (message !== undefined) found.push(at(source, node, message));
  }
  return found;
}
