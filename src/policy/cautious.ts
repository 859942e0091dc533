import type { Decision, PermissionRequest, Policy } from '../core/policy.ts';

/**
 * The policy of whoever chose none: what changes nothing and what the host itself made may be called; a person is asked
 * about everything else that has an effect.
 */
export const cautiousPolicy: Policy = { decide };

function decide({ skill, source, made, permission, runsCode }: PermissionRequest): Decision {
  if (permission.readOnly === true) return { decision: 'allow' };
  if (made && source === 'explicit') return { decision: 'allow' };
  const reason = runsCode ? 'It can run code of its own.' : 'It can change things.';
  return { decision: 'ask', reason, rule: permission.label ?? `Skill(${skill})` };
}
