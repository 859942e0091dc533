import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Skill } from '../core/skill.ts';

/** The name under which a skill is found: its own, or the one with its group or source where that leads to another skill. */
export function reachedName({ skills }: RecursiveSkilledAgent, skill: Skill): string {
  const qualified = skill.aliases.filter((alias) => /[/:]/.test(alias));
  const leadsHere = (name: string): boolean => skills.get(name) === skill;
  return [skill.name, ...qualified, ...skill.aliases].find(leadsHere) ?? skill.name;
}
