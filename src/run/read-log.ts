import type { RunEvent } from '../core/event.ts';
import type { Store } from '../core/store.ts';

/** All events of a run so far. */
export async function readLog(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}
