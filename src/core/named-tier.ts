import type { Tier } from './model.ts';

// Sizes of one provider's models, as roles and tiers that every installation has.
const sizes: ReadonlyMap<string, Tier> = new Map([
  ['haiku', 'fast'],
  ['sonnet', 'execution'],
  ['opus', 'plan'],
]);

/** The role, tier or model that a file asks for; undefined for `inherit`, which is that of every other skill. */
export function namedTier(model: string): Tier | undefined {
  const word = model.trim().toLowerCase();
  return word === '' || word === 'inherit' ? undefined : (sizes.get(word) ?? model.trim());
}
