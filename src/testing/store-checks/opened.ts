import assert from 'node:assert/strict';
import type { RunEvent } from '../../core/event.ts';
import { isAgentError } from '../../core/error.ts';
import type { Store } from '../../core/store.ts';

/** Opens an empty store. */
export type Open = () => Promise<Store>;

/** A test body that gets a store, which is closed behind it. */
export function opened(open: Open, work: (store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };
}

/** Checks that a call is refused because its epoch does not hold. */
export async function refusesOvertaken(call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (thrown: unknown) => {
    assert.ok(isAgentError(thrown), String(thrown));
    assert.equal(thrown.code, 'internal.overtaken');
    return true;
  });
}

/** All events of a run from this place on. */
export async function readAll(store: Store, runId: string, fromSeq?: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId, fromSeq)) events.push(event);
  return events;
}
