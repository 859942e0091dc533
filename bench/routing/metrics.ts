/** The index, from 0, of the first relevant skill in an answer, or undefined if the answer contains none. */
export type Rank = number | undefined;

/** Returns the proportion of answers with a relevant skill among the first `most` candidates. */
export function hitAt(ranks: readonly Rank[], most: number): number {
  return share(ranks, (rank) => rank !== undefined && rank < most);
}

/** Returns the mean of 1 divided by the rank, counted from 1. An answer without a relevant skill adds 0. */
export function meanReciprocalRank(ranks: readonly Rank[]): number {
  return mean(ranks.map((rank) => (rank === undefined ? 0 : 1 / (rank + 1))));
}

/**
 * Returns the probability that a prompt that needs a skill has a higher score than a prompt that needs none.
 * A tie is counted as one half.
 */
export function areaUnderCurve(positive: readonly number[], negative: readonly number[]): number {
  const wins = positive.map((score) =>
    negative.reduce((sum, other) => sum + (score > other ? 1 : score === other ? 0.5 : 0), 0),
  );
  return mean(wins) / negative.length;
}

/** Returns the score that the given proportion of the prompts with a skill reaches. */
export function scoreAtRecall(positive: readonly number[], recall: number): number {
  const sorted = positive.toSorted((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.ceil(recall * sorted.length) - 1)] ?? 0;
}

/** Returns the proportion of items that satisfy a condition. */
export function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

/** Returns the mean, or 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the value below which the given proportion of values falls. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
