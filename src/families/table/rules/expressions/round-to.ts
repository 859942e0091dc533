/** Rounds to a number of decimal places, with halves rounded away from zero: 1.005 becomes 1.01. */
export function roundTo(value: number, digits: number): number {
  const places = Math.min(Math.max(Math.trunc(digits), -maxDigits), maxDigits);
  const size = shifted(Math.abs(tidy(value)), places);
  return Math.sign(value) * shifted(Math.round(tidy(size)), -places);
}

/** Removes floating-point rounding errors, so that 0.1 + 0.2 is 0.3. Integers stay exact. */
export function tidy(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(maxDigits));
}

const maxDigits = 15;

/** Shifts the decimal point without multiplying, which would add a rounding error. */
function shifted(value: number, places: number): number {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
