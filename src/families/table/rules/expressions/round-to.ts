/** A number with so many digits behind its point, a half away from zero, as on paper: 1.005 becomes 1.01. */
export function roundTo(value: number, digits: number): number {
  const places = Math.min(Math.max(Math.trunc(digits), -mostDigits), mostDigits);
  const size = shifted(Math.abs(tidy(value)), places);
  return Math.sign(value) * shifted(Math.round(tidy(size)), -places);
}

/** A number without the dust that doubles leave: 0.1 + 0.2 is 0.3. Whole numbers stay exactly what they are. */
export function tidy(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(mostDigits));
}

const mostDigits = 15;

/** Moves the point without a multiplication, which would add dust. */
function shifted(value: number, places: number): number {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
