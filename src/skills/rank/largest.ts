/**
 * Returns the slots with the highest positive scores, best first. `compare` orders equal scores. By default,
 * the lower slot comes first.
 */
export function largestOf(
  scores: Float64Array,
  most: number,
  isIncluded: (slot: number) => boolean,
  compare: (a: number, b: number) => number = (a, b) => a - b,
): number[] {
  const best: number[] = [];
  if (most >= scores.length / 4) {
    scores.forEach((score, slot) => score > 0 && isIncluded(slot) && best.push(slot));
    return best.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)).slice(0, most);
  }
  const isBefore = (a: number, b: number): boolean =>
    ((scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)) < 0;
  let least = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] ?? 0;
    if (score <= 0 || score < least || !isIncluded(slot)) continue;
    let position = best.length;
    while (position > 0 && isBefore(slot, best[position - 1] ?? 0)) position--;
    best.splice(position, 0, slot);
    if (best.length <= most) continue;
    best.pop();
    least = scores[best[most - 1] ?? 0] ?? 0;
  }
  return best;
}
