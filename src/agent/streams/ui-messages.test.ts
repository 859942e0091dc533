import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent, RunHandle } from '../../core/index.ts';
import { frameIdOf } from '../../run/log/sanitize.ts';
import { toUIMessageStream } from './ui-messages.ts';

/** Creates a run that has these events and waits for an approval. */
function runWith(...bodies: readonly object[]): RunHandle {
  const events = bodies.map((body, index) => ({ runId: 'r_1', frameId: 'f_1', seq: index + 1, ...body }));
  const result = {
    ok: false,
    runId: 'r_1',
    status: 'waiting',
    skill: 'guide',
    question: { kind: 'approval' },
  };
  return {
    id: 'r_1',
    events: ReadableStream.from(events as unknown as RunEvent[]),
    result: Promise.resolve(result),
  } as unknown as RunHandle;
}

test('an approval that is asked again after a crash belongs to the same call', async () => {
  const asks = { skill: 'pay', input: {}, reason: 'It pays.' };
  const run = runWith(
    { type: 'frame.started', parent: '', input: {} },
    { type: 'approval.requested', key: 'approve:pay:1', id: 'q_1', asks },
    { type: 'approval.resolved', key: 'approve:pay:1', answer: { allow: 'once' } },
    { type: 'approval.requested', key: 'approve-again:2:pay:1', id: 'q_2', asks },
  );
  const calls: unknown[] = [];
  for await (const chunk of toUIMessageStream(run))
    if ('toolCallId' in chunk) calls.push([chunk.type, chunk.toolCallId]);
  const id = frameIdOf('f_1', 'pay:1');
  assert.deepEqual(calls, [
    ['tool-input-available', id],
    ['tool-approval-request', id],
    ['tool-approval-request', id],
  ]);
});
