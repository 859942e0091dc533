import { sep } from 'node:path';

/** The paths whose remembered state may be wrong. */
export interface Dirty {
  add(path: string): void;
  /** Everything at and below a folder. */
  addTree(dir: string): void;
  addAll(): void;
  has(path: string): boolean;
  readonly isEmpty: boolean;
  paths(): readonly string[];
  clear(): void;
}

/** An empty set of doubts. */
export function noDoubts(): Dirty {
  const paths = new Set<string>();
  const trees = new Set<string>();
  let all = false;
  return {
    add: (path) => void paths.add(path),
    addTree: (dir) => void trees.add(dir),
    addAll: () => {
      all = true;
    },
    has(path) {
      if (all || paths.has(path)) return true;
      for (const dir of trees) if (path === dir || path.startsWith(dir + sep)) return true;
      return false;
    },
    get isEmpty() {
      return !all && paths.size === 0 && trees.size === 0;
    },
    paths: () => [...paths, ...trees],
    clear() {
      paths.clear();
      trees.clear();
      all = false;
    },
  };
}
