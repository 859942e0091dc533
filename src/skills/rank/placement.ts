import { contentWords, createCloneGroups } from './clones.ts';
import type { Evidence } from './evidence.ts';

/** The data that decides which near-duplicate represents its group. */
interface Rival {
  readonly strength: number;
  readonly isOwn: boolean;
  readonly evidence: Pick<Evidence, 'name'>;
}

/**
 * A candidate, and the strength that determines its position. The strength may be that of a near-duplicate.
 */
interface Placed<Item> {
  readonly item: Item;
  readonly strength: number;
}

const muchLonger = 1.5;

/**
 * Moves near-duplicates to the end. One member of each group takes the position of the group's strongest
 * member. Another member keeps its own position if its content words differ, such as "staging" instead of
 * "production". `items` must be sorted with the strongest candidates first.
 */
export function clonesLast<Item extends Rival>(
  items: readonly Item[],
  descriptionOf: (item: Item) => string,
): readonly Placed<Item>[] {
  const groups = createCloneGroups();
  const first: Placed<Item>[] = [];
  const byGroup = Map.groupBy(items, (item) => groups.add(descriptionOf(item)));
  for (const members of byGroup.values()) {
    const strength = members[0]?.strength ?? 0;
    const lead = leadOf(members, descriptionOf);
    if (lead === undefined) continue;
    first.push({ item: lead, strength });
    const second = members.length > 1 ? saysElse(members, descriptionOf(lead), descriptionOf) : undefined;
    if (second !== undefined) first.push({ item: second, strength: second.strength });
  }
  const isFirst = new Set(first.map(({ item }) => item));
  const last = first.reduce((least, { strength }) => Math.min(least, strength), Infinity);
  return [
    ...first.sort((a, b) => b.strength - a.strength),
    ...items
      .filter((item) => !isFirst.has(item))
      .map((item) => ({ item, strength: Math.min(item.strength, last) })),
  ];
}

/**
 * Returns the member whose name matches best. If several match equally well, returns the strongest one whose
 * description is not much longer than the others. Prefers a skill that the user wrote to one from elsewhere.
 */
function leadOf<Item extends Rival>(
  members: readonly Item[],
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const most = Math.max(...members.map(({ evidence }) => evidence.name));
  const named = members.filter(({ evidence }) => evidence.name === most);
  const shortest = Math.min(...named.map((item) => descriptionOf(item).length));
  const short = named.filter((item) => descriptionOf(item).length <= muchLonger * shortest);
  return short.find(({ isOwn }) => isOwn) ?? short[0];
}

/** Returns the first member whose content words differ from those of a description. */
function saysElse<Item>(
  members: readonly Item[],
  description: string,
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const said = wordsIn(description);
  return members.find((item) => descriptionOf(item) !== description && wordsIn(descriptionOf(item)) !== said);
}

function wordsIn(description: string): string {
  return [...contentWords(description)].sort().join(' ');
}
