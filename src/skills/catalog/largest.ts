/** The largest whole number from `low` to `high` for which a test holds that holds up to some number; `low` is not tested. */
export function largest(low: number, high: number, holds: (value: number) => boolean): number {
  let [sure, open] = [low, Math.max(low, high)];
  while (sure < open) {
    const middle = Math.ceil((sure + open) / 2);
    if (holds(middle)) sure = middle;
    else open = middle - 1;
  }
  return sure;
}
