import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf } from '../core/family.ts';
import type { ApprovalRequest } from '../core/policy.ts';
import { parseRule, rulesCover } from '../core/policy/rules.ts';
import { definitionOf } from '../skills/registry/definition.ts';

/** Whether the rule of a request, written into settings, would allow the call; not every command can be let in by a rule of its own. Never throws. */
export function ruleAllows(
  agent: RecursiveSkilledAgent,
  { skill: name, input, rule: text }: ApprovalRequest,
  workspace: string,
): boolean {
  const skill = agent.skills.get(name);
  const family = familyOf(agent.families, skill);
  const rule = parseRule(text);
  if (skill === undefined || family === undefined || rule === undefined) return false;
  try {
    const permission = family.permission?.(definitionOf(skill, family, agent.limits)) ?? {};
    return rulesCover([rule], { skill: name, aliases: skill.aliases, permission, input, workspace });
  } catch {
    return false; // what cannot be read now cannot be judged
  }
}
