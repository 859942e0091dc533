import { AgentError } from '../core/error.ts';
import { familyOf } from '../core/family-of.ts';
import type { Skill } from '../core/skill.ts';
import type { Registry } from '../skills/registry.ts';
import type { Execution } from './execution.ts';
import type { Target } from './target.ts';

/** Whether the text of a skill can be loaded into a conversation. */
export function isLoadable({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.load !== undefined;
}

/** Opens a skill for a call; throws what keeps it from being used. */
export function openTarget(
  { registry, kernel }: Pick<Execution, 'registry' | 'kernel'>,
  skill: Skill,
): Target {
  if (skill.status === 'unavailable') {
    const hint = (skill.missing ?? []).map((missing) => missing.hint).join(' ');
    throw new AgentError('skill.unavailable', `"${skill.name}" cannot be used on this machine.`, { hint });
  }
  const family = familyOf(registry.families, skill);
  if (family === undefined) {
    throw new AgentError('skill.invalid', `There is no family "${skill.family}" to run "${skill.name}".`);
  }
  return {
    skill,
    family,
    definition: kernel.definitionOf(skill, family),
    digest: kernel.digestOf(skill),
    isLeaf: skill.card.allowedSkills?.length === 0 && family.provides !== true,
  };
}
