import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { counted, familyOf, parseRule, rulesCover, type ApprovalRequest } from '../core/index.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { describeIssue, type CheckResult, type Examined } from './report.ts';

/**
 * Checks that the deny and ask rules are valid and match something that exists, because a rule without a
 * match protects nothing.
 */
export function checkRules({ agent, settings: { permissions = {} } }: Examined): CheckResult {
  const issues = agent.skills.diagnostics();
  const blocking = issues.filter(({ details }) => details?.['blocksRuns'] === true);
  const unmatched = issues.filter(({ code }) => code === 'rule.unmatched');
  const rules = (permissions.deny ?? []).length + (permissions.ask ?? []).length;
  if (blocking.length > 0)
    return {
      id: 'rules',
      status: 'fail',
      summary: 'the settings contain invalid rules, so no run starts',
      details: blocking.map(describeIssue),
    };
  if (unmatched.length > 0)
    return {
      id: 'rules',
      status: 'warn',
      summary: `${counted(unmatched.length, 'deny or ask rule')} without a matching skill or tool`,
      details: unmatched.map(describeIssue),
    };
  return {
    id: 'rules',
    status: 'ok',
    summary: `${counted(rules, 'deny or ask rule')} in effect`,
    details: [],
  };
}

/**
 * Whether the rule in an approval request would allow the call if the user added the rule to the settings.
 * For some commands, it would not. Never throws.
 */
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
    return false; // The skill cannot be read, so no rule can allow it.
  }
}
