import { AgentError } from '../core/error.ts';
import { isFromServer } from '../core/is-from-server.ts';
import type { Policy } from '../core/policy.ts';
import type { Skill } from '../core/skill.ts';
import type { Skills } from '../skills/skills.ts';

/** Throws `policy.denied` for a skill of a server that nobody trusts as it is: its text goes into no prompt, not even without a call. */
export function mustBeTrusted(
  policy: Pick<Policy, 'trusts'>,
  skills: Pick<Skills, 'digestNow'>,
  skill: Skill,
): void {
  const { name, source, file } = skill;
  if (!isFromServer({ source, made: skill.made !== undefined })) return;
  if (policy.trusts?.({ source, digest: () => skills.digestNow(skill) }) === true) return;
  throw new AgentError('policy.denied', `"${name}" comes from a server, and nobody trusts it as it is now.`, {
    hint: `Read ${file}, then: skilled trust grant ${name}`,
  });
}
