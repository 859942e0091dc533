/** Compares two texts as `<` does, for `sort`: the same on every machine, whatever its language. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
