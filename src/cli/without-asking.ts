import type { Policy } from '../core/policy.ts';

/** Why a call is denied under `--safe`. */
export const deniedBySafe = 'it needs approval, and --safe gives none.';

/** The policy under `--safe`: nobody is asked, and what would have to be asked about is denied. */
export function withoutAsking(policy: Policy): Policy {
  return {
    async decide(request) {
      const decision = await policy.decide(request);
      return decision.decision === 'ask' ? { decision: 'deny', reason: deniedBySafe } : decision;
    },
    trusts: (subject) => policy.trusts?.(subject) === true,
  };
}
