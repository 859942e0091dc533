import type { ApprovalRequest } from '../../core/policy.ts';
import { sameModels, type Told } from '../same-models.ts';
import { longerLeave } from './longer-leave.ts';

/** Something to be decided: the question of a run, and what it is about. */
export interface Undecided {
  readonly runId: string;
  readonly id: string;
  readonly asks: ApprovalRequest;
}

/** The commands that decide, with the rule that each of them keeps; where it is too late, the one that goes on without. */
export function decisionLines(undecided: Undecided, told: Told): readonly string[] {
  const { runId, asks } = undecided;
  if (isExpired(asks))
    return [`Too late to decide. Go on without it: skilled resume ${runId}${sameModels(told)}`];
  const command = approveCommand(undecided, told);
  const deny = `Deny it: ${command} --deny "<reason>"`;
  if (told.flags.safe) return [deny]; // nothing is allowed under it
  const longer = longerLeave(asks).map(({ what, flag }) => `Allow ${what}: ${command} ${flag}`);
  return [`Allow it once: ${command}`, ...longer, deny];
}

/** The command that allows something once. It names run and question, so that it never decides about anything else. */
export function approveCommand({ runId, id }: Pick<Undecided, 'runId' | 'id'>, told: Told): string {
  return `skilled approve ${runId}/${id}${sameModels(told)}`;
}

/** Whether it is too late to decide or to answer. */
export function isExpired({ expires = Infinity }: Pick<ApprovalRequest, 'expires'>): boolean {
  return expires <= Date.now();
}
