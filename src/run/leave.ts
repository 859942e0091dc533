import type { Approval, ApprovalRequest } from '../core/policy.ts';

/** A question as far as leave depends on it. */
export type Asked = Pick<ApprovalRequest, 'skill' | 'rule' | 'version' | 'each' | 'pin'>;

/** What tells leave for the run from leave for a version of a skill under the same rule. */
export function leaveKeys({ skill, rule, version, pin }: Asked): {
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
export function leaveOf(asks: Asked, answer: unknown): string | undefined {
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
