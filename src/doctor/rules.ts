import type { CheckResult, Examined } from './check.ts';
import { count } from './count.ts';
import { describeIssue } from './diagnostics.ts';

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
