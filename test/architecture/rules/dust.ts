import path from 'node:path';
import { at, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';

const limit = 40;

// Started or imported by the build under its own name.
const entries = ['core/node-version.ts'];

/** A small file with a single importer belongs in that importer. An `index.ts` only lists, so it is neither. */
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

/** For each file of code, the files of code that import it. */
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
