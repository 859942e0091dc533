import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Source } from '../source.ts';

/** No file may import itself indirectly. Types and lazy imports count. */
export const cycles: Rule = {
  name: 'cycles',
  find(tree) {
    const code = new Map(
      tree.filter((source) => source.role === 'code').map((source) => [source.path, source]),
    );
    return findCycles(code).flatMap((cycle) => {
      const [first, second] = [code.get(cycle[0] ?? ''), cycle[1] ?? cycle[0]];
      const line = first?.imports.find(({ target }) => target === second)?.line ?? 1;
      return first ? [at(first, line, [...cycle, first.path].join(' → '))] : [];
    });
  },
};

// A depth-first search. Each edge back to the current path closes a cycle.
function findCycles(code: ReadonlyMap<string, Source>): string[][] {
  const found: string[][] = [];
  const finished = new Set<string>();
  const trail: string[] = [];

  const enter = (file: string): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push(trail.slice(start));
    if (start >= 0 || finished.has(file)) return;
    trail.push(file);
    const targets = new Set(code.get(file)?.imports.map(({ target }) => target));
    for (const target of targets) if (target !== undefined && code.has(target)) enter(target);
    trail.pop();
    finished.add(file);
  };

  for (const file of code.keys()) enter(file);
  return found;
}
