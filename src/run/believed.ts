import { isFromServer } from '../core/is-from-server.ts';
import type { Skill } from '../core/skill.ts';
import type { Kernel } from './kernel.ts';

type Ground = Pick<Kernel, 'policy' | 'digestNow'>;

/** Skills without those of servers that nobody trusts: a model that reads such a text would take it for instructions. */
export function believed(ground: Ground, skills: readonly Skill[]): readonly Skill[] {
  return skills.some(isDoubtful) ? skills.filter((skill) => isBelieved(ground, skill)) : skills;
}

/** Whether the text of a skill may go into a prompt: it comes from no server, or somebody trusts it as it is now. */
export function isBelieved(
  { policy, digestNow }: { readonly policy: Pick<Ground['policy'], 'trusts'> } & Pick<Ground, 'digestNow'>,
  skill: Skill,
): boolean {
  const { source } = skill;
  return !isDoubtful(skill) || policy.trusts?.({ source, digest: () => digestNow(skill) }) === true;
}

function isDoubtful({ source, made }: Skill): boolean {
  return isFromServer({ source, made: made !== undefined });
}
