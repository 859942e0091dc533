import type { Family } from '../../src/core/family.ts';
import { builtinFamilies } from '../../src/families/index.ts';

/** Adds a family to the commands that run in this process, until the result is disposed. */
export function knowFamily(family: Family): Disposable {
  const known = builtinFamilies as Family[];
  known.push(family);
  return { [Symbol.dispose]: () => void known.splice(known.indexOf(family), 1) };
}
