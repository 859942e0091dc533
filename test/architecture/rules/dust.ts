import path from 'node:path';
import { at, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';

const limit = 40;

// Files that are started by name, or imported by the build.
const entries = ['core/node-version.ts'];

/**
 * A small file with a single importer belongs in that importer. Each `index.ts` is exempt, because it only
 * lists exports.
 */
export const dust: Rule = {
  name: 'dust',
  find(tree) {
    const importers = findImporters(tree);
    return tree
      .filter(
        ({ role, lines, path: file }) =>
          role === 'code' && lines <= limit && !isIndex(file) && !entries.includes(file),
      )
      .filter(({ text }) => !/^\/\/ (?:Generated|Written) by/.test(text))
      .flatMap((source) => {
        const [importer, ...others] = importers.get(source.path) ?? [];
        if (importer === undefined || others.length > 0 || isIndex(importer)) return [];
        return [at(source, 1, `${source.lines} lines, used only by ${importer}; move it there.`)];
      });
  },
};

/** Returns the code files that import each code file. */
export function findImporters(tree: readonly Source[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const source of tree) {
    if (source.role !== 'code') continue;
    for (const { target } of source.imports) {
      if (target === undefined || target === source.path) continue;
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(source.path));
    }
  }
  return importers;
}

function isIndex(file: string): boolean {
  return path.posix.basename(file) === 'index.ts';
}
