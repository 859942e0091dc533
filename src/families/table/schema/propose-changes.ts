import { planDrops } from './plan-drops.ts';
import { planKey } from './plan-key.ts';
import { planMissing } from './plan-missing.ts';
import { planRoles } from './plan-roles.ts';
import { planTypes } from './plan-types.ts';
import { planUniques } from './plan-uniques.ts';
import type { ProposalPlan } from './proposal-plan.ts';
import type { SchemaGround } from './schema-ground.ts';

/**
 * All that would have to be approved, what blocks first. Where the role policy lets in more than was approved, that alone:
 * what else there is would tell of the records.
 */
export async function proposeChanges(ground: SchemaGround): Promise<readonly ProposalPlan[]> {
  const roles = planRoles(ground);
  if (roles.some(({ isBlocking }) => isBlocking)) return roles;
  const plans = [
    ...roles,
    ...planMissing(ground),
    ...(await planKey(ground)),
    ...(await planTypes(ground)),
    ...(await planUniques(ground)),
    ...(await planDrops(ground)),
  ];
  return plans.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
}
