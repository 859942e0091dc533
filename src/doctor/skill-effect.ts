import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import { definitionOf } from '../skills/registry/definition.ts';

/** What a call of a skill does beyond calling others, in the sentence that a person is asked with; undefined where nothing is said. Never throws. */
export function skillEffect(agent: RecursiveSkilledAgent, skill: Skill): string | undefined {
  const family = familyOf(agent.families, skill);
  if (family?.permission === undefined || skill.status === 'invalid') return undefined;
  try {
    return family.permission(definitionOf(skill, family, agent.limits)).effect;
  } catch {
    return undefined; // what cannot be read now cannot be told
  }
}
