import { createCloneGroups } from '../clones.ts';
import { contentWords } from '../content-words.ts';
import type { Evidence } from './evidence.ts';

/** A candidate, as far as its place among near-duplicates depends on it. */
export interface Rival {
  readonly strength: number;
  readonly evidence: Pick<Evidence, 'name'>;
}

/** A candidate in the place that it or a near-duplicate of it has earned. */
export interface Placed<Item> {
  readonly item: Item;
  readonly strength: number;
}

const muchLonger = 1.5;

/**
 * One of each group of near-duplicates in the place of the strongest of them, and one more if it says something else
 * in a word or two, as skills for staging and production do; then all others. Candidates come strongest first.
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

/** Whose name is asked for most; else the strongest, but no copy that says much more than the original. */
function leadOf<Item extends Rival>(
  members: readonly Item[],
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const most = Math.max(...members.map(({ evidence }) => evidence.name));
  const named = members.filter(({ evidence }) => evidence.name === most);
  const shortest = Math.min(...named.map((item) => descriptionOf(item).length));
  return named.find((item) => descriptionOf(item).length <= muchLonger * shortest);
}

/** The first whose description has other content words. */
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
