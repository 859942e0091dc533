import type { CheckResult, Examined } from './check.ts';
import { count } from './count.ts';

/** What unavailable skills miss on this machine, and how to get it. */
export function checkEligibility({ agent }: Examined): CheckResult {
  const waiting = agent.skills.list().filter((skill) => skill.status === 'unavailable');
  return {
    id: 'eligibility',
    status: waiting.length === 0 ? 'ok' : 'warn',
    summary:
      waiting.length === 0
        ? 'every skill has what it needs'
        : `${count(waiting.length, 'skill')} cannot be used here`,
    details: waiting.map(
      (skill) => `${skill.name}: ${(skill.missing ?? []).map((missing) => missing.hint).join(' ')}`,
    ),
  };
}
