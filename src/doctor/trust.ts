import { toErrorData } from '../core/error.ts';
import { optional } from '../core/collections.ts';
import type { CheckResult, Examined } from './check.ts';
import { howToTrust, notTrusted } from './not-trusted.ts';
import { reachedName } from './reached-name.ts';
import { trustOf } from './skill-trust.ts';

/** Which skills must be trusted and are not, and whether the trust file can be believed. */
export function checkTrust({ agent, book }: Examined): CheckResult {
  const states = agent.skills.list().flatMap((skill) => {
    const state = trustOf(agent, book, skill);
    return state === undefined ? [] : [{ ...state, skill }];
  });
  const needed = states.filter(({ trust }) => trust === 'needed');
  const details = needed.map(({ skill, fault }) => {
    const name = reachedName(agent, skill);
    return fault === undefined ? `${name}: ${skill.dir}` : `${name}: its folder ${fault}`;
  });
  try {
    book.list();
  } catch (thrown) {
    const { message, hint } = toErrorData(thrown);
    const summary = 'the trust file cannot be believed, so nothing is trusted';
    return {
      id: 'trust',
      status: 'fail',
      summary,
      details: [message, ...details],
      ...optional('hint', hint),
    };
  }
  const granted = states.length - needed.length;
  const known = granted === 0 ? '' : `, ${granted} trusted`;
  if (needed.length === 0)
    return { id: 'trust', status: 'ok', summary: `nothing waits for it${known}`, details };
  return {
    id: 'trust',
    status: 'warn',
    summary: `${notTrusted(needed.length)}${known}`,
    details,
    hint: howToTrust(needed.map(({ skill }) => reachedName(agent, skill))),
  };
}
