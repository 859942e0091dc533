import { digestOf, knownDigest } from './digest.ts';
import type { SkillRecord } from './record.ts';

/** Tells, without a watch, the skills whose bundle is no longer what it was when someone asked for its digest. */
export function changedSinceAsked(skills: readonly SkillRecord[]): (skill: SkillRecord) => boolean {
  const asked = new Map<string, string>();
  for (const skill of skills) {
    const digest = knownDigest(skill);
    if (digest !== undefined) asked.set(skill.file, digest);
  }
  return (skill) => {
    const before = asked.get(skill.file);
    if (before === undefined) return false;
    try {
      return digestOf(skill, skill.loose) !== before;
    } catch {
      return true; // it cannot be read any more, which whoever asks again is told
    }
  };
}
