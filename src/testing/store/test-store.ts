import assert from 'node:assert/strict';
import {
  defaultRunLimits,
  isAgentError,
  type Epoch,
  type Json,
  type NewEvent,
  type RunEnd,
  type RunEvent,
  type RunStarted,
  type Store,
} from '../../core/index.ts';

/** Opens an empty store. */
export type OpenStore = () => Promise<Store>;

/** Returns a test function that opens a store, calls `work` with it, and then closes it. */
export function opened(open: OpenStore, work: (store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };
}

/** Checks that a call is rejected because the caller's claim was lost. */
export async function rejectsWithClaimLost(call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (thrown: unknown) => {
    assert.ok(isAgentError(thrown), String(thrown));
    assert.equal(thrown.code, 'internal.claim-lost');
    return true;
  });
}

/** Returns the events of a run, starting at a sequence number. */
export async function readAll(store: Store, runId: string, fromSeq?: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId, fromSeq)) events.push(event);
  return events;
}

/** Creates a `note.added` event. */
export function note(message: string, data?: Json): NewEvent {
  return {
    frameId: '',
    at: 1,
    type: 'note.added',
    key: 'n',
    message,
    ...(data === undefined ? {} : { data }),
  };
}

/** Creates the first event of a run. */
export function started(more: Partial<RunStarted> = {}): NewEvent {
  const usual = { skill: 'demo', input: 'hello', session: 'default', limits: defaultRunLimits };
  return { frameId: '', at: 1, type: 'run.started', ...usual, ...more };
}

/** Creates the last event of a run. */
export function ended(status: RunEnd = 'done'): NewEvent {
  return { frameId: '', at: 1, type: 'run.ended', status, output: { status: 'done', text: '' } };
}

/** Creates a `run.waiting` event. */
export function waiting(): NewEvent {
  return { frameId: '', at: 1, type: 'run.waiting', questions: ['q1'] };
}

/** Creates a `run.resumed` event. */
export function resumed(): NewEvent {
  return { frameId: '', at: 1, type: 'run.resumed', owner: 'me' };
}

/** Claims a run and appends events to it. */
export async function makeRun(store: Store, runId: string, ...events: readonly NewEvent[]): Promise<Epoch> {
  const epoch = await store.claim(runId, 'me');
  await store.append(runId, epoch, events);
  return epoch;
}

/** Strings that a database may store incorrectly. */
export const unusualTexts: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\u0001\u001f\u007f\u0085', '\n\r\t', '"\'`;--', '%', '_', '\\', '\\u0000'],
  ...['\ud800', '\udc00', 'a\udbffb', '😀', 'é', 'e\u0301', '\uffff', '\u{10ffff}', '\u2028', '\ufeff'],
  ...['__proto__', 'constructor', 'null', 'NULL', '{}', '{"a":1}', '$1', '?', ':a', '天气', 'ﬁ', 'İ'],
];

/** Returns a random string of more than 10,000 characters, which can hardly be compressed. */
export function longText(): string {
  return Array.from({ length: 300 }, () => crypto.randomUUID()).join('');
}
