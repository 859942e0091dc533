import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf, parseRule, rulesCover, type ApprovalRequest } from '../core/index.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { count, describeIssue, type CheckResult, type Examined } from './report.ts';

/** Whether rules that deny or ask can mean something, and mean something that is there: one that does not protects from nothing. */
export function checkRules({ agent, settings: { permissions = {} } }: Examined): CheckResult {
  const issues = agent.skills.diagnostics();
  const blocking = issues.filter(({ details }) => details?.['blocksRuns'] === true);
  const unmatched = issues.filter(({ code }) => code === 'rule.unmatched');
  const rules = (permissions.deny ?? []).length + (permissions.ask ?? []).length;
  if (blocking.length > 0)
    return {
      id: 'rules',
      status: 'fail',
      summary: 'the settings have rules that cannot be used, so no run starts',
      details: blocking.map(describeIssue),
    };
  if (unmatched.length > 0)
    return {
      id: 'rules',
      status: 'warn',
      summary: `${count(unmatched.length, 'rule')} to deny or ask without a skill or tool of that name`,
      details: unmatched.map(describeIssue),
    };
  return { id: 'rules', status: 'ok', summary: `${count(rules, 'rule')} to deny or ask`, details: [] };
}

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
    const permission = family.permission?.describe?.(definitionOf(skill, family, agent.limits)) ?? {};
    return rulesCover([rule], { skill: name, aliases: skill.aliases, permission, input, workspace });
  } catch {
    return false; // what cannot be read now cannot be judged
  }
}
