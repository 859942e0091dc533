import { AgentError } from '../core/error.ts';
import type { Permissions } from '../core/policy.ts';
import { parseRule } from '../core/rule.ts';

/** Throws `usage.bad-input` for what is no rule: one that forbids and is misspelt would silently forbid nothing. */
export function mustBeRules(permissions: Permissions = {}): void {
  for (const kind of ['deny', 'ask', 'allow'] as const) {
    for (const rule of (permissions[kind] ?? []) as readonly unknown[]) {
      if (typeof rule === 'string' && parseRule(rule) !== undefined) continue;
      throw new AgentError('usage.bad-input', `${JSON.stringify(rule)} in permissions.${kind} is no rule.`, {
        hint: 'Write rules such as "Read", "Bash(git diff *)" or "Skill(name)".',
      });
    }
  }
}
