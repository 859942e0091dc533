import type { Pin } from '../core/policy.ts';

/** What a person allows for longer than this once: the tool as it is now. */
export function pinRule(label: string, pin: Pin): string {
  return `${label}${markOf(pin)}`;
}

/** Whether a rule is one of those that allow what a pin describes, under whatever label. */
export function isRuleOf(pin: Pin, rule: string): boolean {
  return rule.endsWith(markOf(pin));
}

function markOf({ hash }: Pin): string {
  return `(sha256 ${hash.replace('sha256:', '').slice(0, 12)})`;
}
