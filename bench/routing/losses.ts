import type { Slope } from './newton.ts';

/**
 * A prompt: the feature values of its candidates, which of the candidates are relevant, and the prompt's
 * weight.
 */
export interface Choice {
  readonly rows: readonly Float64Array[];
  readonly right: readonly boolean[];
  readonly weight: number;
}

/**
 * Returns the loss of choosing a skill: the negative log of the probability of a relevant candidate under a
 * softmax of the scores.
 */
export function choosing(choices: readonly Choice[]): Slope {
  return (weights, gradient, curvature) => {
    let loss = 0;
    for (const { rows, right, weight } of choices) {
      const sums = rows.map((row) => product(row, weights));
      const top = Math.max(...sums);
      const chances = sums.map((sum) => Math.exp(sum - top));
      const all = total(chances);
      const good = total(chances.filter((_, index) => right[index] === true));
      if (good === 0) continue;
      loss += weight * Math.log(all / good);
      const expected = new Float64Array(weights.length);
      rows.forEach((row, index) => {
        const chance = (chances[index] ?? 0) / all;
        const target = right[index] === true ? (chances[index] ?? 0) / good : 0;
        addTo(gradient, row, weight * (chance - target));
        addTo(expected, row, chance);
        addSquare(curvature, row, weight * chance);
      });
      addSquare(curvature, expected, -weight);
    }
    return loss;
  };
}

/** An example for a yes-or-no decision, with the expected answer (`holds`) and its weight. */
export interface Sample {
  readonly row: Float64Array;
  readonly holds: boolean;
  readonly weight: number;
}

/** Returns the loss of a yes-or-no decision: the negative log of the probability of the expected answer. */
export function telling(samples: readonly Sample[]): Slope {
  return (weights, gradient, curvature) => {
    let loss = 0;
    for (const { row, holds, weight } of samples) {
      const sum = product(row, weights);
      const chance = 1 / (1 + Math.exp(-sum));
      loss += weight * (holds ? Math.log1p(Math.exp(-sum)) : Math.log1p(Math.exp(sum)));
      addTo(gradient, row, weight * (chance - (holds ? 1 : 0)));
      addSquare(curvature, row, weight * chance * (1 - chance));
    }
    return loss;
  };
}

function product(row: Float64Array, weights: Float64Array): number {
  return row.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function addTo(target: Float64Array, row: Float64Array, factor: number): void {
  for (let index = 0; index < row.length; index++)
    target[index] = (target[index] ?? 0) + factor * (row[index] ?? 0);
}

function addSquare(target: Float64Array, row: Float64Array, factor: number): void {
  const size = row.length;
  for (let i = 0; i < size; i++) {
    const value = factor * (row[i] ?? 0);
    if (value === 0) continue;
    for (let j = 0; j < size; j++) target[i * size + j] = (target[i * size + j] ?? 0) + value * (row[j] ?? 0);
  }
}
