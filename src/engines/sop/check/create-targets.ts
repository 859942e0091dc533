import type { Target } from '../checked-plan.ts';

/** Finds the variable that a path begins with and the way into its value; undefined when there is no such variable. */
export type FindTarget = (path: string, isItemThere: boolean) => Target | undefined;

/** The names that mean the item and its index in the arguments of an `each`. */
export const itemNames: ReadonlySet<string> = new Set(['item', 'index']);

/** Finds variables among these names, the longest one first: dots may belong to a name or lead into a value. */
export function createTargets(names: ReadonlySet<string>): FindTarget {
  // Only beginnings as long as some name are looked up, which keeps a path of many dots cheap.
  const lengths = new Set([...names, ...itemNames].map((name) => name.length));
  return (path, isItemThere) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
      if (!lengths.has(end)) continue;
      const variable = path.slice(0, end);
      if (names.has(variable) || (isItemThere && itemNames.has(variable)))
        return { variable, keys: end === path.length ? [] : path.slice(end + 1).split('.') };
    }
    return undefined;
  };
}
