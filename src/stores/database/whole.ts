/** A whole number as a number where that is exact, else as a bigint; pure. */
export function toWhole(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
