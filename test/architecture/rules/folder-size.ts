import path from 'node:path';
import { at, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';

const limit = 25;

/** A folder may contain at most 25 code files. Beyond that, it needs a subfolder named after a concept. */
export const folderSize: Rule = {
  name: 'folder-size',
  find(tree) {
    return [...filesByFolder(tree)].flatMap(([folder, files]) => {
      const [first] = files;
      if (first === undefined || files.length <= limit) return [];
      return [at(first, 1, `${folder} holds ${files.length} files; split it (at most ${limit}).`)];
    });
  },
};

/** Returns the code files in each folder, without tests, fixtures and each `index.ts`. */
export function filesByFolder(tree: readonly Source[]): Map<string, Source[]> {
  return Map.groupBy(
    tree.filter(({ role, path: file }) => role === 'code' && path.posix.basename(file) !== 'index.ts'),
    (source) => path.posix.dirname(source.path),
  );
}
