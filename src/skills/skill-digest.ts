import { AgentError, reasonOf } from '../core/error.ts';
import type { Skill } from '../core/skill.ts';
import { SkillRecord } from './record.ts';

/** A digest of a skill's files, by one way to compute it; undefined for one that has no file. Throws `skill.invalid`. */
export function skillDigest(
  skill: Skill,
  compute: (skill: Skill, isLoose: boolean) => string,
): string | undefined {
  if (!(skill instanceof SkillRecord) || skill.file === '') return undefined;
  try {
    return compute(skill, skill.loose);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new AgentError('skill.invalid', `The files of "${skill.name}" cannot be read: ${reason}.`, {
      cause: thrown,
    });
  }
}
