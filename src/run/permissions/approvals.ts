import {
  AgentError,
  optional,
  type Approval,
  type ApprovalRequest,
  type ApprovalRequested,
} from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';

/** A question as far as leave depends on it. */
export type ApprovalSubject = Pick<ApprovalRequest, 'skill' | 'rule' | 'version' | 'each' | 'pin'>;

/** What tells leave for the run from leave for a version of a skill under the same rule. */
export function leaveKeys({ skill, rule, version, pin }: ApprovalSubject): {
  readonly run: string;
  readonly lasting?: string;
} {
  const seen = pin === undefined ? [] : [{ pin: [pin.key, pin.hash] }]; // no digest, whatever it looks like
  const run = JSON.stringify([rule, ...seen]);
  if (version === undefined) return { run };
  const lasting = JSON.stringify([rule, version.digest, ...seen]);
  return version.skill === skill ? { run: lasting, lasting } : { run, lasting }; // its own files: never other ones
}

/** The leave that an answer gives beyond the one call it is about. */
export function leaveOf(asks: ApprovalSubject, answer: unknown): string | undefined {
  const approval = approvalIn(answer);
  if (asks.each === true || !('allow' in approval) || approval.allow === 'once') return undefined;
  const { run, lasting } = leaveKeys(asks);
  return approval.allow === 'run' ? run : lasting;
}

/** A decision as a store holds it; what is none denies. */
export function approvalIn(answer: unknown): Approval {
  const { allow, deny, expired } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof deny === 'string') return expired === true ? { deny, expired } : { deny };
  if (allow === 'once' || allow === 'run' || allow === 'version') return { allow };
  return { deny: 'What was answered is no decision.' };
}

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
