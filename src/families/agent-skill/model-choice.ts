import type { Tier } from '../../core/model.ts';

// Sizes of one provider's models, as roles and tiers that every installation has.
const sizes: ReadonlyMap<string, Tier> = new Map([
  ['haiku', 'fast'],
  ['sonnet', 'execution'],
  ['opus', 'plan'],
]);

/** The tier that a skill or its caller asks for; undefined for `inherit`, which is that of every other skill. */
export function tierFor(model: string): Tier | undefined {
  const word = model.trim().toLowerCase();
  return word === '' || word === 'inherit' ? undefined : (sizes.get(word) ?? model.trim());
}
