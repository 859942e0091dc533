import { faultOfRule } from '../core/policy/check-rules.ts';
import { AgentError } from '../core/error.ts';
import type { Issue } from '../core/issue.ts';
import { optional } from '../core/collections.ts';
import type { Permissions } from '../core/policy.ts';
import { parseRule } from '../core/policy/rules.ts';

/**
 * Throws `usage.bad-input` for a rule that denies or asks and can never mean a call: misspelt, it would silently forbid
 * nothing. One that allows and names an unknown tool allows nothing, and only has to have the form of a rule.
 */
export function mustBeRules(permissions: Permissions = {}, tools: readonly string[] = []): void {
  for (const kind of ['deny', 'ask', 'allow'] as const) {
    for (const [index, rule] of ((permissions[kind] ?? []) as readonly unknown[]).entries()) {
      const fault = faultOfRule(rule, [...tools, ...(permissions.tools ?? [])]);
      if (fault === undefined) continue;
      if (kind === 'allow' && typeof rule === 'string' && parseRule(rule) !== undefined) continue;
      throw new AgentError(
        'usage.bad-input',
        `${JSON.stringify(rule)} in permissions.${kind} must be ${fault.expected}.`,
        {
          hint: `${fault.hint} Words of tools that your program registers belong into permissions.tools.`,
          details: { key: `permissions.${kind}.${index}`, rule: fault.rule, near: [...fault.near] },
        },
      );
    }
  }
}

/** Throws `usage.bad-settings` for the first setting without which runs would be less safe than their user meant. */
export function mustNotBlock(issues: readonly Issue[], tools: readonly string[] = []): void {
  const blocking = issues.filter(
    ({ details }) => details?.['blocksRuns'] === true && !isOneOf(details['tool'], tools),
  );
  const [first] = blocking;
  if (first === undefined) return;
  const { file = '', line, message, hint, details } = first;
  const where = line === undefined ? file : `${file}:${line}`;
  throw new AgentError('usage.bad-settings', `${where}: ${message}`, {
    ...optional('hint', hint),
    details: { file, ...optional('line', line), ...details, count: blocking.length },
  });
}

function isOneOf(tool: unknown, tools: readonly string[]): boolean {
  return typeof tool === 'string' && tools.some((one) => one.toLowerCase() === tool.toLowerCase());
}
