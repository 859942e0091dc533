/** A whole number as values have it: a number where that is exact, else its digits. */
export function wholeNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
