import {
  AgentError,
  optional,
  type Approval,
  type ApprovalRequest,
  type ApprovalRequested,
} from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';

/** The properties of an approval request that determine which grants cover it. */
export type ApprovalSubject = Pick<ApprovalRequest, 'skill' | 'rule' | 'version' | 'each' | 'pin'>;

/**
 * Returns the keys under which grants of a rule are stored: one for the run and, if there is a version, one
 * for that version.
 */
export function approvalKeys({ skill, rule, version, pin }: ApprovalSubject): {
  readonly run: string;
  readonly lasting?: string;
} {
  // The pin is an object, so that no digest can equal it.
  const pinned = pin === undefined ? [] : [{ pin: [pin.key, pin.hash] }];
  const run = JSON.stringify([rule, ...pinned]);
  if (version === undefined) return { run };
  const lasting = JSON.stringify([rule, version.digest, ...pinned]);
  // A grant for the skill's own files must not cover other files.
  return version.skill === skill ? { run: lasting, lasting } : { run, lasting };
}

/**
 * Returns the key of the grant that an answer gives. Returns undefined if the answer applies only to this
 * call.
 */
export function grantedKey(asks: ApprovalSubject, answer: unknown): string | undefined {
  const approval = approvalIn(answer);
  if (asks.each === true || !('allow' in approval) || approval.allow === 'once') return undefined;
  const { run, lasting } = approvalKeys(asks);
  return approval.allow === 'run' ? run : lasting;
}

/** Reads a stored decision. An invalid decision is treated as a denial. */
export function approvalIn(answer: unknown): Approval {
  const { allow, deny, expired } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof deny === 'string') return expired === true ? { deny, expired } : { deny };
  if (allow === 'once' || allow === 'run' || allow === 'version') return { allow };
  return { deny: 'The answer was not a valid decision.' };
}

/** Throws if it is too late for a decision, or if the files have changed since the approval was requested. */
export function checkApproval(kernel: Kernel, { id, asks }: ApprovalRequested, answer: Approval): void {
  if ((asks.expires ?? Infinity) <= kernel.now()) {
    throw new AgentError('policy.expired', `The approval request ${id} has expired.`, {
      hint: 'Resume the run to see its outcome without the approval, or run it again.',
    });
  }
  const { version } = asks;
  if (version === undefined || !('allow' in answer)) return;
  const skill = kernel.registry().lookup.find(version.skill);
  if (skill === undefined) {
    if (answer.allow !== 'version') return; // The process that executes the run checks the files.
    throw new AgentError('skill.not-found', `The skill "${version.skill}" is not registered.`, {
      hint: 'Allow it only once or for this run, or decide in a process where the skill is registered.',
    });
  }
  if (kernel.digestNow(skill) === version.digest) return;
  throw new AgentError(
    'skill.changed',
    `The files of "${version.skill}" changed after approval ${id} was requested.`,
    {
      hint: 'Resume the run. It will request approval for the current files.',
    },
  );
}

/**
 * Stores a grant that outlives the run. The process that receives the decision stores the grant, even if
 * another process continues the run.
 */
export async function storeApproval(
  { policy, registry }: Kernel,
  { rule, version, pin }: ApprovalRequest,
  answer: Approval,
): Promise<void> {
  if (version === undefined || !('allow' in answer) || answer.allow !== 'version') return;
  const dir = registry().lookup.find(version.skill)?.dir ?? '';
  await policy.remember?.({ ...version, rule, dir, ...optional('pin', pin) });
}
