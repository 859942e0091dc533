import type { Approval, ApprovalRequest } from '../core/policy.ts';

/** What tells leave for the run from leave for a version of a skill under the same rule. */
export function leaveKeys({ rule, version }: Pick<ApprovalRequest, 'rule' | 'version'>): {
  readonly run: string;
  readonly lasting?: string;
} {
  const run = JSON.stringify([rule]);
  return version === undefined ? { run } : { run, lasting: JSON.stringify([rule, version.digest]) };
}

/** The leave that an answer gives beyond the one call it is about. */
export function leaveOf(
  asks: Pick<ApprovalRequest, 'rule' | 'version'>,
  answer: Approval,
): string | undefined {
  if (!('allow' in answer) || answer.allow === 'once') return undefined;
  const { run, lasting } = leaveKeys(asks);
  return answer.allow === 'run' ? run : lasting;
}
