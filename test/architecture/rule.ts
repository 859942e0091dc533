import type ts from 'typescript';
import type { Source } from './source.ts';
import { lineOf } from './syntax.ts';

/** A place that breaks a rule. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** One rule over the whole tree; pure. */
export interface Rule {
  readonly name: string;
  find(tree: readonly Source[]): Diagnostic[];
}

/** The finding for one place in a file. */
export function at(source: Source, where: ts.Node | number, message: string): Diagnostic {
  const line = typeof where === 'number' ? where : lineOf(source.syntax, where);
  return { file: source.path, line, message };
}

/** Looks at every node of a file and keeps what `judge` says about it; filter by text first, so that fewer files are parsed. */
export function judgeNodes(source: Source, judge: (node: ts.Node) => string | undefined): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const node of source.nodes) {
    const message = judge(node);
    if (message !== undefined) found.push(at(source, node, message));
  }
  return found;
}
