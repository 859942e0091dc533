import type { Tier } from '../../core/model.ts';

// Sizes of one provider's models, as roles and tiers that every installation has.
const sizes: ReadonlyMap<string, Tier> = new Map([
  ['haiku', 'fast'],
  ['sonnet', 'execution'],
  ['opus', 'plan'],
]);

/** The role, tier or model that a file asks for; undefined for `inherit`, which is that of every other skill. */
export function tierFor(model: string): Tier | undefined {
  const word = model.toLowerCase();
  return word === 'inherit' ? undefined : (sizes.get(word) ?? model);
}

/** The effort that `thinking` asks for. */
export function effortFor(thinking: string): string {
  const word = thinking.toLowerCase();
  return word === 'off' || word === 'false' ? 'none' : word;
}
