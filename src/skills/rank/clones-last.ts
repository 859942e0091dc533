import { createCloneGroups } from '../clones.ts';

/** An item in the place that it or a near-duplicate of it has earned. */
export interface Placed<Item> {
  readonly item: Item;
  readonly strength: number;
}

/**
 * One of each group of near-duplicates in the place of the strongest of them, then all others. The one that says it
 * in fewest letters stands for its group: a copy that says more must not push the original out.
 */
export function clonesLast<Item extends { readonly strength: number }>(
  items: readonly Item[],
  descriptionOf: (item: Item) => string,
): readonly Placed<Item>[] {
  const groups = createCloneGroups();
  const byGroup = Map.groupBy(items, (item) => groups.add(descriptionOf(item)));
  const first = new Map<Item, number>();
  for (const members of byGroup.values()) {
    const plainest = members.reduce((best, item) =>
      descriptionOf(item).length < descriptionOf(best).length ? item : best,
    );
    first.set(plainest, members[0]?.strength ?? 0);
  }
  const late = items.filter((item) => !first.has(item)).map((item) => ({ item, strength: item.strength }));
  return [...Array.from(first, ([item, strength]) => ({ item, strength })), ...late];
}
