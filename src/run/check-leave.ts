import { AgentError } from '../core/error.ts';
import type { ApprovalRequested } from '../core/event.ts';
import { optional } from '../core/optional.ts';
import type { Approval, ApprovalRequest } from '../core/policy.ts';
import type { Kernel } from './kernel.ts';

/** Throws when it is too late to decide, or when what would be allowed is not what was asked about any more. */
export function checkLeave(kernel: Kernel, { id, asks }: ApprovalRequested, answer: Approval): void {
  if ((asks.expires ?? Infinity) <= kernel.now()) {
    throw new AgentError('policy.expired', `It is too late to decide ${id}.`, {
      hint: 'Resume the run to see what it comes to without, or run it anew.',
    });
  }
  const { version } = asks;
  if (version === undefined || !('allow' in answer)) return;
  const skill = kernel.registry().lookup.find(version.skill);
  if (skill === undefined) {
    if (answer.allow !== 'version') return; // whoever works on the run looks at the files
    throw new AgentError('skill.not-found', `"${version.skill}" is not known here.`, {
      hint: 'Decide for longer than a run where that skill is registered.',
    });
  }
  if (kernel.digestNow(skill) === version.digest) return;
  throw new AgentError('skill.changed', `The files of "${version.skill}" changed since ${id} was asked.`, {
    hint: 'Resume the run: it asks again about the files as they are now.',
  });
}

/** Keeps leave that outlives the run; it is kept where a person gave it, not where the run goes on. */
export async function keepLeave(
  { policy, registry }: Kernel,
  { rule, version, pin }: ApprovalRequest,
  answer: Approval,
): Promise<void> {
  if (version === undefined || !('allow' in answer) || answer.allow !== 'version') return;
  const dir = registry().lookup.find(version.skill)?.dir ?? '';
  await policy.remember?.({ ...version, rule, dir, ...optional('pin', pin) });
}
