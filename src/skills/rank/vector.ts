/** The vector in a quarter of its space: eight bits per number, its largest at the full 127, its length given up. */
export function quantise(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  const scale = largest === 0 ? 0 : 127 / largest;
  const quantised = new Int8Array(vector.length);
  for (const [index, number] of vector.entries()) quantised[index] = Math.round(number * scale);
  return quantised;
}

/** The cosine of two quantised vectors of the same dimensions: 1 for the same direction, 0 where one is empty. Pure. */
export function nearness(a: Int8Array, b: Int8Array): number {
  return nearnessAt(a, 0, b);
}

/** The same for one of many vectors that lie in a row; give the length of the query where it meets many of them. */
export function nearnessAt(
  store: Int8Array,
  offset: number,
  query: Int8Array,
  length = lengthOf(query),
): number {
  let product = 0;
  let square = 0;
  let index = 0;
  // Four at a time and whole numbers throughout: this loop decides how long a search takes.
  for (const end = query.length - 3; index < end; index += 4) {
    const at = offset + index;
    const a = store[at] ?? 0;
    const b = store[at + 1] ?? 0;
    const c = store[at + 2] ?? 0;
    const d = store[at + 3] ?? 0;
    product =
      (product +
        a * (query[index] ?? 0) +
        b * (query[index + 1] ?? 0) +
        c * (query[index + 2] ?? 0) +
        d * (query[index + 3] ?? 0)) |
      0;
    square = (square + a * a + b * b + c * c + d * d) | 0;
  }
  for (; index < query.length; index += 1) {
    const a = store[offset + index] ?? 0;
    product += a * (query[index] ?? 0);
    square += a * a;
  }
  return square === 0 || length === 0 ? 0 : product / (Math.sqrt(square) * length);
}

/** How long a quantised vector is, in its own steps. */
export function lengthOf(vector: Int8Array): number {
  let square = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const number = vector[index] ?? 0;
    square = (square + number * number) | 0;
  }
  return Math.sqrt(square);
}
