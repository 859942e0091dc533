/** Compares two strings by their code units, as `<` does and no locale changes. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
