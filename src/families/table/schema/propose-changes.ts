import type { Ground } from './ground.ts';
import type { Plan } from './plan.ts';
import { planDrops } from './plan-drops.ts';
import { planKey } from './plan-key.ts';
import { planMissing } from './plan-missing.ts';
import { planRoles } from './plan-roles.ts';
import { planTypes } from './plan-types.ts';
import { planUniques } from './plan-uniques.ts';

/** All that would have to be approved, what blocks first. */
export async function proposeChanges(ground: Ground): Promise<readonly Plan[]> {
  const plans = [
    ...planRoles(ground),
    ...planMissing(ground),
    ...(await planKey(ground)),
    ...(await planTypes(ground)),
    ...(await planUniques(ground)),
    ...(await planDrops(ground)),
  ];
  return plans.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}
