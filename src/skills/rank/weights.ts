import type { Signs } from './confidence.ts';
import type { Evidence } from './evidence.ts';

/** How much each piece of evidence counts, and from which confidence on a skill applies. */
export interface Weights {
  readonly evidence: Readonly<Record<keyof Evidence, number>>;
  readonly signs: Readonly<Record<keyof Signs, number>>;
  /** Below it no skill applies. */
  readonly threshold: number;
}

/** The sum of what is found, each times its weight. */
export function weigh<Name extends string>(
  found: Readonly<Record<Name, number>>,
  weights: Readonly<Record<Name, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += found[name] * weights[name];
  return sum;
}
