import { sep } from 'node:path';
import { isMatch, patternOf, type IgnorePattern } from './ignore-pattern.ts';
import { below } from './paths.ts';

/** The ignore files that apply in a folder, nearest first; undefined when there are none on the way from the root. */
export interface IgnoreRules {
  readonly dir: string;
  /** The last one that fits decides. */
  readonly patterns: readonly IgnorePattern[];
  readonly parent: IgnoreRules | undefined;
  /** How many patterns there are, those of the parents included. */
  readonly count: number;
}

/** The names of ignore files; a later one may take back what an earlier one in the same folder says. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.ignore'];

const mostPatterns = 20_000; // on the way to a folder; each of them may be asked about each file

/**
 * The rules inside a folder: the texts of its own ignore files in that order, before those of its parents. Files with
 * more patterns than anybody writes say nothing.
 */
export function rulesIn(dir: string, texts: readonly string[], parent: IgnoreRules | undefined): IgnoreRules {
  const lines = texts.flatMap((text) => `${text}\n`.replace(/^\ufeff/, '').split(/\r?\n/, mostPatterns * 2));
  const patterns = lines.map((line) => patternOf(line)).filter((pattern) => pattern !== undefined);
  const above = parent?.count ?? 0;
  const count = above + patterns.length;
  return count > mostPatterns
    ? { dir, patterns: [], parent, count: above }
    : { dir, patterns, parent, count };
}

/** Whether git would ignore this path in a folder that it does not ignore: the nearest file that says anything decides. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  for (let at = rules; at !== undefined; at = at.parent) {
    const names = below(at.dir, path).split(sep);
    const decisive = at.patterns.findLast((pattern) => isMatch(pattern, names, isFolder));
    if (decisive !== undefined) return !decisive.isNegated;
  }
  return false;
}
