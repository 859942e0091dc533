/**
 * Compresses a vector to eight bits per number. The largest number becomes 127, so the vector's length is
 * lost.
 */
export function quantise(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  const scale = largest === 0 ? 0 : 127 / largest;
  const quantised = new Int8Array(vector.length);
  for (const [index, number] of vector.entries()) quantised[index] = Math.round(number * scale);
  return quantised;
}

/**
 * Returns the cosine similarity of two compressed vectors with the same number of dimensions. It is 1 for the
 * same direction, and 0 if one of the vectors is zero. Pure.
 */
export function nearness(a: Int8Array, b: Int8Array): number {
  return nearnessAt(a, 0, b);
}

/**
 * Like `nearness`, but for the vector at an offset in an array. `length` is the length of the query vector.
 */
export function nearnessAt(
  store: Int8Array,
  offset: number,
  query: Int8Array,
  length = lengthOf(query),
): number {
  let product = 0;
  let square = 0;
  let index = 0;
  // Process four numbers at a time, because this loop takes most of the search time.
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

/** Returns the length of a compressed vector. */
export function lengthOf(vector: Int8Array): number {
  let square = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const number = vector[index] ?? 0;
    square = (square + number * number) | 0;
  }
  return Math.sqrt(square);
}
