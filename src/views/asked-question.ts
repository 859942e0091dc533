import type { ApprovalRequested, InputRequested } from '../core/event.ts';
import type { ApprovalRequest } from '../core/policy.ts';
import type { OpenQuestion } from '../core/run.ts';

/** What an event asks a person; the path is that of the frame which asks. */
export function askedQuestion(
  event: InputRequested | ApprovalRequested,
  path: readonly string[],
): OpenQuestion {
  const { id } = event;
  if (event.type === 'input.requested') return { ...event.question, id, kind: 'input', path };
  return { text: approvalText(event.asks), id, kind: 'approval', path, asks: event.asks };
}

/** What a person is to decide, as a sentence. */
export function approvalText({ caller, skill, reason }: ApprovalRequest): string {
  return caller === undefined
    ? `The call of "${skill}" needs approval: ${reason}`
    : `"${caller}" wants to call "${skill}": ${reason}`;
}
