import { createCloneGroups } from './clones.ts';

/** How near-duplicates are told, and how many of them may stand where they are. */
export interface Spread<Item> {
  descriptionOf(item: Item): string;
  /** How many of a group keep their place. */
  readonly most: number;
  /** What keeps its place whatever it resembles. */
  readonly isWanted?: (item: Item) => boolean;
}

/** The order with a few near-duplicates of a group before everything else had its turn; what is never asked for costs nothing. */
export function* spreadClones<Item>(order: Iterable<Item>, how: Spread<Item>): Generator<Item> {
  const groups = createCloneGroups();
  const counts = new Map<number, number>();
  const late: Item[] = [];
  for (const item of order) {
    const group = groups.add(how.descriptionOf(item));
    const before = counts.get(group) ?? 0;
    counts.set(group, before + 1);
    if (before < how.most || how.isWanted?.(item) === true) yield item;
    else late.push(item);
  }
  yield* late;
}
