/** Converts an integer to a number if that is exact, or to a string of digits otherwise. */
export function wholeNumber(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
