import { namesTool } from '../core/match-rules.ts';
import { optional } from '../core/optional.ts';
import { parseRule } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import type { CheckResult, Examined } from './check.ts';
import { count } from './count.ts';

/**
 * Whether rules that deny or ask name a tool that there is: a misspelled one protects from nothing. Rules that allow show
 * by a question that they do not work, and a skill that is named may be at home in another project.
 */
export function checkRules({ agent, settings: { permissions = {} } }: Examined): CheckResult {
  const skills = agent.skills.list();
  const kinds = ['deny', 'ask'] as const;
  const rules = kinds.flatMap((kind) => (permissions[kind] ?? []).map((text) => ({ kind, text })));
  const details = rules
    .filter(({ text }) => !skills.some((skill) => mayName(text, skill)))
    .map(({ kind, text }) => `permissions.${kind}: ${text}`);
  if (details.length === 0)
    return { id: 'rules', status: 'ok', summary: `${count(rules.length, 'rule')} to deny or ask`, details };
  return {
    id: 'rules',
    status: 'warn',
    summary: `${count(details.length, 'rule')} to deny or ask without a tool of that name`,
    details,
    hint: 'Correct the name, or take it out. `skilled config explain permissions` shows where it is.',
  };
}

function mayName(text: string, { name, aliases, card }: Skill): boolean {
  const rule = parseRule(text);
  if (rule === undefined || rule.tool.toLowerCase() === 'skill') return true; // what is no rule is a finding already
  const permission = optional('label', card.label);
  return namesTool(rule, { skill: name, aliases, permission, input: null, workspace: undefined });
}
