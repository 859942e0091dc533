import { qualifiedName, type Skill } from '../../core/skill.ts';

/** The name by which a caller reaches exactly this skill among those that it may call: its own, or the one with its source. */
export function reachingName(skill: Skill, among: readonly Skill[], caller: Skill): string {
  const isTwice = among.some((other) => other !== skill && other.name === skill.name);
  return isTwice || !isNamedBy(caller, skill) ? qualifiedName(skill) : skill.name;
}

/** Whether an allow list has its bare name; one that has another of its names may mean to tell it from a namesake. */
function isNamedBy({ card }: Skill, { name }: Skill): boolean {
  return card.allowedSkills?.includes(name) ?? true;
}
