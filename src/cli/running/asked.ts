import type { RunEvent } from '../../core/event.ts';
import type { ApprovalRequest } from '../../core/policy.ts';

/** What each approval is about, by the id of its question. */
export type Asked = ReadonlyMap<string, ApprovalRequest>;

/** What the approvals of a log are about. Pure. */
export function askedIn(events: Iterable<RunEvent>): Asked {
  const asked = new Map<string, ApprovalRequest>();
  for (const event of events) if (event.type === 'approval.requested') asked.set(event.id, event.asks);
  return asked;
}
