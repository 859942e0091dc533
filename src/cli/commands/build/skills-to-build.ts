import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { AgentError } from '../../../core/error.ts';
import { familyOf } from '../../../core/family.ts';
import type { Skill } from '../../../core/skill.ts';

/** The skills that are named, or all that are made of something; throws where a name leads to none, or to one that is not made of anything. */
export function skillsToBuild(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0) return [...new Set(names.map((name) => named(agent, name)))];
  return agent.skills.list().filter((skill) => skill.status === 'ready' && isMade(agent, skill));
}

function named(agent: RecursiveSkilledAgent, name: string): Skill {
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const family = familyOf(agent.families, skill);
  if (family?.build !== undefined) return skill;
  const label = family?.label ?? skill.family;
  throw new AgentError('usage.bad-input', `"${skill.name}" (${label}) is not built of anything.`, {
    hint: 'Run it as it is, or build another skill.',
  });
}

/** What a person wrote as it is, or has not written yet, is not made of anything. */
function isMade(agent: RecursiveSkilledAgent, skill: Skill): boolean {
  if (familyOf(agent.families, skill)?.build === undefined) return false;
  const status = agent.inspect(skill)?.status ?? 'own';
  return status !== 'own' && status !== 'missing';
}
