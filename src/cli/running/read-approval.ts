import type { Approval, ApprovalRequest } from '../../core/policy.ts';
import type { Ask } from '../terminal.ts';
import { longerLeave } from './longer-leave.ts';
import { timeLeft } from './time-left.ts';

const hour = 3_600_000; // milliseconds

/** What each key that allows more than once would keep, and the time that is left when that is less than an hour. */
export function approvalLines(asks: ApprovalRequest): readonly string[] {
  const { expires = Infinity } = asks;
  const now = Date.now();
  const left = expires - now < hour ? timeLeft(expires, now) : undefined;
  const longer = longerLeave(asks).map(({ key, what }) => `  ${key} allows ${what}`);
  return [...longer, ...(left === undefined ? [] : [`  Time left: ${left}`])];
}

/** Asks for a key until it is one of those that are offered; undefined when nothing comes. */
export async function readApproval(asks: ApprovalRequest, ask: Ask): Promise<Approval | undefined> {
  const longer = longerLeave(asks);
  const names = { run: 'this run', version: 'always' } as const;
  const choices = ['y once', ...longer.map(({ key, allow }) => `${key} ${names[allow]}`), 'n no'];
  while (true) {
    const line = (await ask(`${choices.join(' · ')} > `))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === 'y' || line === 'yes') return { allow: 'once' };
    if (line === 'n' || line === 'no') return readDenial(ask);
    const chosen = longer.find(({ key, flag }) => line === key || `--${line}` === flag);
    if (chosen !== undefined) return { allow: chosen.allow };
  }
}

async function readDenial(ask: Ask): Promise<Approval | undefined> {
  const reason = await ask('Why not? ');
  return reason === undefined ? undefined : { deny: reason.trim() || 'The user said no.' };
}
