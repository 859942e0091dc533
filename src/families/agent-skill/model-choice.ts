import type { Tier } from '../../core/model.ts';

// Sizes of one provider's models, as roles and tiers that every installation has.
const sizes: ReadonlyMap<string, Tier> = new Map([
  ['haiku', 'fast'],
  ['sonnet', 'execution'],
  ['opus', 'plan'],
]);

/** The tier that a skill or its caller asks for; `inherit` is that of every other skill. */
export function tierFor(model: string | undefined): Tier {
  const word = model?.trim().toLowerCase() ?? '';
  if (model === undefined || word === '' || word === 'inherit') return 'execution';
  return sizes.get(word) ?? model.trim();
}
