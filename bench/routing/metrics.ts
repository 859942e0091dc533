/** Where the first right skill stands in an answer, from 0; undefined when it is not there. */
export type Rank = number | undefined;

/** The part of the answers whose right skill is among the first so many. */
export function hitAt(ranks: readonly Rank[], most: number): number {
  return share(ranks, (rank) => rank !== undefined && rank < most);
}

/** The mean of 1 divided by the place, counted from 1. */
export function meanReciprocalRank(ranks: readonly Rank[]): number {
  return mean(ranks.map((rank) => (rank === undefined ? 0 : 1 / (rank + 1))));
}

/** How often a prompt that needs a skill scores above one that needs none; ties count half. */
export function areaUnderCurve(positive: readonly number[], negative: readonly number[]): number {
  const wins = positive.map((score) =>
    negative.reduce((sum, other) => sum + (score > other ? 1 : score === other ? 0.5 : 0), 0),
  );
  return mean(wins) / negative.length;
}

/** The score that a given part of the prompts that need a skill reach. */
export function scoreAtRecall(positive: readonly number[], recall: number): number {
  const sorted = positive.toSorted((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.ceil(recall * sorted.length) - 1)] ?? 0;
}

/** The part of the items for which something holds. */
export function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

/** The mean, 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which a given part lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
