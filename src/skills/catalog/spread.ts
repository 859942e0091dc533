import { createCloneGroups } from '../clones.ts';

const mostOfOneGroup = 2;

/** The order with at most two near-duplicates of a group before everything else had its turn; what is never asked for costs nothing. */
export function* spreadClones(
  order: Iterable<number>,
  descriptionOf: (index: number) => string,
  isWanted: (index: number) => boolean,
): Generator<number> {
  const groups = createCloneGroups();
  const counts = new Map<number, number>();
  const late: number[] = [];
  for (const index of order) {
    const group = groups.add(descriptionOf(index));
    const before = counts.get(group) ?? 0;
    counts.set(group, before + 1);
    if (before < mostOfOneGroup || isWanted(index)) yield index;
    else late.push(index);
  }
  yield* late;
}
