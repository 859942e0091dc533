import type { Family, Made } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import { definitionOf } from './definition.ts';
import type { SkillLimits } from './limits.ts';
import type { SkillSettings } from './skill-settings.ts';

/** What was made of the files of a skill, as its family sees it now; undefined where nothing ever is, or its files cannot be used. Looks only, never throws. */
export function madeOf(
  skill: Skill,
  family: Family,
  limits: SkillLimits,
  settings?: SkillSettings,
): Made | undefined {
  if (family.inspect === undefined || skill.dir === '' || skill.status === 'invalid') return undefined;
  try {
    return family.inspect(definitionOf(skill, family, limits, settings), skill.dir);
  } catch {
    return undefined; // its descriptor changed or cannot be read any more, which whoever calls it learns
  }
}
