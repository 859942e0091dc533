import type { Family } from '../../src/core/family.ts';
import { builtinFamilies } from '../../src/families/index.ts';

/** Lets the commands that run in this process know one family more, until it is disposed of. */
export function knowFamily(family: Family): Disposable {
  const known = builtinFamilies as Family[];
  known.push(family);
  return { [Symbol.dispose]: () => void known.splice(known.indexOf(family), 1) };
}
