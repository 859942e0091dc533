import { byCodeUnits } from '../core/text.ts';

/** What has an order: something made of others. */
export interface Ordered {
  readonly path: string;
  readonly target: string;
  readonly dependencies: readonly string[];
}

/** Each one after all that it depends on, otherwise by path; a circle is given as the paths on it, its first one again at the end. */
export function orderSpecs<Item extends Ordered>(
  items: readonly Item[],
): { readonly ordered: readonly Item[]; readonly circle?: readonly string[] } {
  const left = items.toSorted((one, other) => byCodeUnits(one.path, other.path));
  const ordered: Item[] = [];
  const done = new Set<string>();
  while (left.length > 0) {
    const index = left.findIndex(({ dependencies }) => dependencies.every((target) => done.has(target)));
    if (index < 0) return { ordered: [...ordered, ...left], circle: circleIn(left) };
    const [next] = left.splice(index, 1);
    if (next === undefined) break;
    ordered.push(next);
    done.add(next.target);
  }
  return { ordered };
}

/** Follows dependencies among those of which each waits for another, until one comes again. */
function circleIn(left: readonly Ordered[]): readonly string[] {
  const byTarget = new Map(left.map((item) => [item.target, item]));
  const trail: Ordered[] = [];
  let at = left[0];
  while (at !== undefined && !trail.includes(at)) {
    trail.push(at);
    at = at.dependencies.map((target) => byTarget.get(target)).find((item) => item !== undefined);
  }
  const circle = at === undefined ? trail : trail.slice(trail.indexOf(at));
  const paths = circle.map(({ path }) => path);
  return [...paths, ...paths.slice(0, 1)];
}
