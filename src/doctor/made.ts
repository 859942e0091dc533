import type { Made } from '../core/family.ts';
import type { CheckResult, Examined } from './check.ts';
import { describeIssue } from './diagnostics.ts';

const inWords: readonly (readonly [Made['status'], string])[] = [
  ['failed', 'failed'],
  ['missing', 'missing'],
  ['drifted', 'edited by hand'],
  ['due', 'to be generated'],
  ['current', 'up to date'],
  ['own', 'written by hand'],
];

/** How the code of skills stands that are code, or are made of something; what could not be made, or is missing, fails. */
export function checkMade({ agent }: Examined): CheckResult {
  const found = agent.skills.list().flatMap((skill) => {
    const made = skill.status === 'shadowed' ? undefined : agent.inspect(skill);
    return made === undefined ? [] : [{ name: skill.name, ...made }];
  });
  const counted = inWords.flatMap(([status, words]) => {
    const number = found.filter((made) => made.status === status).length;
    return number === 0 ? [] : [`${number} ${words}`];
  });
  const has = (...wanted: readonly Made['status'][]): boolean =>
    found.some(({ status }) => wanted.includes(status));
  const isBuilt = has('failed', 'due');
  return {
    id: 'code',
    status: has('failed', 'missing') ? 'fail' : has('drifted') ? 'warn' : 'ok',
    summary: counted.length === 0 ? 'no skill is code' : counted.join(', '),
    details: found.flatMap(({ name, issues }) => issues.map((issue) => `${name}: ${describeIssue(issue)}`)),
    ...(isBuilt ? { hint: 'Bring it up to date with `skilled build`.' } : {}),
  };
}
