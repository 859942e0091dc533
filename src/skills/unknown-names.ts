import type { Issue } from '../core/issue.ts';
import { cardOf } from './catalog/offered.ts';
import type { Lookup } from './lookup.ts';
import type { SkillRecord } from './record.ts';

/** Findings about names on lists of allowed skills that lead to no skill: such a list grants less than it says. */
export function unknownNames(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  return skills.flatMap((skill) => {
    const { allowedSkills = [] } = skill.status === 'ready' ? cardOf(skill) : {};
    return allowedSkills
      .filter((name) => lookup.find(name) === undefined)
      .map((name): Issue => ({
        level: 'warning',
        code: 'list.unknown-skill',
        message: `"${skill.name}" may call "${name}", and there is no such skill.`,
        ...(skill.file === '' ? {} : { file: skill.file }),
        hint: hintFor(lookup.near(name)),
      }));
  });
}

function hintFor([near]: readonly string[]): string {
  return near === undefined
    ? 'Correct the name in its list of allowed skills, or add the skill.'
    : `Did you mean "${near}"?`;
}
