import type { PendingApproval } from '../../agent/runs/pending.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { approvalText } from '../../views/text.ts';

/** A pending decision as the question that its run asks. Pure. */
export function pendingQuestion({ id, path, asks }: PendingApproval): OpenQuestion {
  return { id, kind: 'approval', path, text: approvalText(asks), asks };
}
