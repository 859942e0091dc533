import type { ApprovalRequested, Envelope, InputRequested, RunEvent, Store } from '../../core/index.ts';

/** All events of a run so far. */
export async function readLog(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}

/** Whether nobody can answer or decide a question any more at a moment, in milliseconds since 1970. */
export function isLate(asked: QuestionEvent, now: number): boolean {
  const { expires = Infinity } = asked.type === 'input.requested' ? asked.question : asked.asks;
  return expires <= now;
}

/** A question of a log. */
export type QuestionEvent = Envelope & (InputRequested | ApprovalRequested);

/** The questions of a log that nobody answered, oldest first; those of frames that ended ask nobody any more. */
export function openQuestions(events: readonly RunEvent[]): readonly QuestionEvent[] {
  const open = new Map<string, QuestionEvent>();
  for (const event of events) {
    const { frameId } = event;
    if (event.type === 'input.requested' || event.type === 'approval.requested') {
      open.set(`${frameId}/${event.key}`, event);
    } else if (event.type === 'input.resolved' || event.type === 'approval.resolved') {
      open.delete(`${frameId}/${event.key}`);
    } else if (event.type === 'frame.ended') {
      for (const [key, asked] of open) if (asked.frameId === frameId) open.delete(key);
    } else if (event.type === 'run.ended') open.clear();
  }
  return [...open.values()];
}
