import type { PermissionRequest, Policy } from '../core/policy.ts';
import { parseRules, rulesCover } from '../core/policy/rules.ts';
import type { Trial } from './trial.ts';

/**
 * A policy with what a case allows or denies of what would be asked about. A file beside a skill may come from a stranger,
 * so it can only allow tools of this package, which are held to the workspace of the case: never code that nobody
 * trusted, a process that nothing contains, a tool of a server or the network.
 */
export function withApprovals(policy: Policy, approve: Trial['approve']): Policy {
  const rules = Array.isArray(approve) ? parseRules(approve as readonly string[]) : [];
  return {
    ...policy,
    async decide(request) {
      const decision = await policy.decide(request);
      if (decision.decision !== 'ask') return decision;
      if (approve === 'none') return { decision: 'deny', reason: 'the case approves nothing.' };
      const isMeant = approve === 'all' || rulesCover(rules, request);
      return isMeant && decision.each !== true && staysInside(request) ? { decision: 'allow' } : decision;
    },
  };
}

const reachesOut = ['WebFetch'];

function staysInside({ source, made, permission: { label, pin } }: PermissionRequest): boolean {
  return made && source === 'bundled' && pin === undefined && !reachesOut.includes(label ?? '');
}
