import type { ApprovalRequest } from '../../core/policy.ts';
import type { Invocation } from '../command.ts';
import { pasteable } from '../output/pasteable.ts';
import { longerLeave } from './longer-leave.ts';

/** Something to be decided: the question of a run, and what it is about. */
export interface Undecided {
  readonly runId: string;
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/** The commands that decide, ready to be pasted, with the rule that each of them keeps; where it is too late, the one that goes on without. */
export function decisionLines(
  undecided: Undecided,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): readonly string[] {
  const { runId, asks } = undecided;
  const line = (what: string, command: string): string => `${what}: ${pasteable(`\`${command}\``, terminal)}`;
  if (isExpired(asks)) return [line('Too late to decide. Go on without it', `skilled resume ${runId}`)];
  const command = approveCommand(undecided);
  const deny = line('Deny it', `${command} --deny "<reason>"`);
  if (flags.safe) return [deny]; // nothing is allowed under it
  const longer = longerLeave(asks).map(({ what, flag }) => line(`Allow ${what}`, `${command} ${flag}`));
  return [line('Allow it once', command), ...longer, deny];
}

/** The command that allows something once. It names run and question, so that it never decides about anything else. */
export function approveCommand({ runId, id }: Pick<Undecided, 'runId' | 'id'>): string {
  return `skilled approve ${runId}/${id}`;
}

/** Whether it is too late to decide or to answer. */
export function isExpired({ expires = Infinity }: Pick<ApprovalRequest, 'expires'>): boolean {
  return expires <= Date.now();
}
