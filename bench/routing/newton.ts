/**
 * Calculates the loss for the given weights. Adds its gradient and curvature to the arrays and returns the
 * loss.
 */
export type Slope = (weights: Float64Array, gradient: Float64Array, curvature: Float64Array) => number;

/**
 * Returns the weights that minimise the sum of the loss and a penalty on the size of the weights. The loss
 * should be convex.
 */
export function leastLoss(size: number, slope: Slope, penalty: number): Float64Array {
  let weights = new Float64Array(size);
  let damping = 1e-6;
  let loss = penalised(weights, slope, penalty).loss;
  for (let step = 0; step < 200; step++) {
    const at = penalised(weights, slope, penalty);
    const move = solve(at.curvature, at.gradient, damping);
    const next = weights.map((weight, index) => weight - (move[index] ?? 0));
    const after = penalised(next, slope, penalty).loss;
    if (after > loss) {
      damping *= 10;
      if (damping > 1e6) break;
      continue;
    }
    const gain = loss - after;
    [weights, loss, damping] = [next, after, Math.max(damping / 10, 1e-9)];
    if (gain < 1e-10) break;
  }
  return weights;
}

function penalised(
  weights: Float64Array,
  slope: Slope,
  penalty: number,
): { loss: number; gradient: Float64Array; curvature: Float64Array } {
  const size = weights.length;
  const gradient = weights.map((weight) => penalty * weight);
  const curvature = new Float64Array(size * size);
  for (let index = 0; index < size; index++) curvature[index * size + index] = penalty;
  const loss = slope(weights, gradient, curvature);
  return {
    loss: loss + (penalty * weights.reduce((sum, weight) => sum + weight ** 2, 0)) / 2,
    gradient,
    curvature,
  };
}

/** Solves (curvature + damping) · x = gradient by elimination. */
function solve(curvature: Float64Array, gradient: Float64Array, damping: number): Float64Array {
  const size = gradient.length;
  const rows = Array.from({ length: size }, (_, row) => [
    ...curvature
      .subarray(row * size, row * size + size)
      .map((value, column) => value + (row === column ? damping : 0)),
    gradient[row] ?? 0,
  ]);
  for (let column = 0; column < size; column++) {
    const pivot = rows.slice(column).reduce((best, row) => (at(row, column) > at(best, column) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(column, 0, pivot);
    const divisor = pivot[column] || 1e-12;
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = (row[column] ?? 0) / divisor;
      for (let index = column; index <= size; index++)
        row[index] = (row[index] ?? 0) - factor * (pivot[index] ?? 0);
    }
  }
  return Float64Array.from(rows, (row, index) => (row[size] ?? 0) / (row[index] || 1e-12));
}

function at(row: readonly number[], column: number): number {
  return Math.abs(row[column] ?? 0);
}
