import { AgentError } from '../core/error.ts';
import type { Policy } from '../core/policy.ts';
import type { Skill } from '../core/skill.ts';
import { isBelieved } from '../run/permissions/skill-files.ts';
import type { Skills } from '../skills/skills.ts';

/** Throws `policy.denied` for a skill of a server that nobody trusts as it is: its text goes into no prompt, not even without a call. */
export function mustBeTrusted(
  policy: Pick<Policy, 'trusts'>,
  skills: Pick<Skills, 'digestNow'>,
  skill: Skill,
): void {
  const { name, file } = skill;
  if (isBelieved({ policy, digestNow: (one) => skills.digestNow(one) }, skill)) return;
  throw new AgentError('policy.denied', `"${name}" comes from a server, and nobody trusts it as it is now.`, {
    hint: `Read ${file}, then run \`skilled trust grant ${name}\`.`,
  });
}
