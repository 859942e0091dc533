/** The slots with the largest positive scores, best first; equal ones in the order of their slots. */
export function largestOf(scores: Float64Array, most: number, isWanted: (slot: number) => boolean): number[] {
  const best: number[] = [];
  let least = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] ?? 0;
    if (score <= least || !isWanted(slot)) continue;
    let place = best.length;
    while (place > 0 && (scores[best[place - 1] ?? 0] ?? 0) < score) place--;
    best.splice(place, 0, slot);
    if (best.length <= most) continue;
    best.pop();
    least = scores[best[most - 1] ?? 0] ?? 0;
  }
  return best;
}
