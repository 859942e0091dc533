import type { ApprovalRequested, Envelope, InputRequested, RunEvent, Store } from '../../core/index.ts';

/** Reads all events of a run so far. */
export async function readLog(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}

/** The store methods that a run uses while it is in progress. */
export type RunStore = Pick<Store, 'get' | 'entries' | 'delete' | 'runs'>;

/** Creates a view of the store that reports failures to `onBroken`. A call that fails never settles. */
export function createRunStore(store: Store, onBroken: (thrown: unknown) => void): RunStore {
  const orReport = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (thrown) {
      onBroken(thrown);
      return new Promise(() => undefined);
    }
  };
  return {
    get: (...given) => orReport(() => store.get(...given)),
    entries: (...given) => orReport(() => store.entries(...given)),
    delete: (...given) => orReport(() => store.delete(...given)),
    runs: (...given) => orReport(() => store.runs(...given)),
  };
}

/** Whether a question has expired at the time `now`, in milliseconds since the Unix epoch. */
export function isLate(asked: QuestionEvent, now: number): boolean {
  const { expires = Infinity } = asked.type === 'input.requested' ? asked.question : asked.asks;
  return expires <= now;
}

/** A logged event that asks for input or approval. */
export type QuestionEvent = Envelope & (InputRequested | ApprovalRequested);

/** Returns a log's unanswered questions, oldest first, excluding those from frames that have ended. */
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
