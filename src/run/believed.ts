import { isFromServer } from '../core/is-from-server.ts';
import type { Skill } from '../core/skill.ts';
import type { Kernel } from './kernel.ts';

/** Skills without those of servers that nobody trusts: a model that reads such a text would take it for instructions. */
export function believed(
  { policy, digestNow }: Pick<Kernel, 'policy' | 'digestNow'>,
  skills: readonly Skill[],
): readonly Skill[] {
  const isDoubtful = ({ source, made }: Skill): boolean => isFromServer({ source, made: made !== undefined });
  if (!skills.some(isDoubtful)) return skills;
  return skills.filter((skill) => {
    const { source } = skill;
    return !isDoubtful(skill) || policy.trusts?.({ source, digest: () => digestNow(skill) }) === true;
  });
}
