import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter } from '../../core/async.ts';
import type { CodeListener, CodeProcess } from './channel.ts';
import { createCodeSlot, takeCodeTurn } from './turn.ts';

test('a process that is not fit ends, also when its call is cancelled as it returns', async () => {
  const stop = new AbortController();
  let listener: CodeListener | undefined;
  let ends = 0;
  const code: CodeProcess = {
    isFit: () => true,
    send(line) {
      const [, run] = JSON.parse(line) as [string, number];
      listener?.onMessage(['value', run, false, 'returned'], 10);
      queueMicrotask(() => queueMicrotask(() => stop.abort(new Error('enough'))));
    },
    listen(next) {
      listener = next;
      return () => (listener = undefined);
    },
    endAfter: () => (ends += 1),
    end: async () => void (ends += 1),
    gone: new Promise(() => undefined),
  };
  const grant = { read: [], write: [], hosts: [], environment: {} };
  const target = { key: '', grant, startsProcesses: false, isCurrent: () => true };
  const call = { module: '/m.ts', name: 'action', input: null, functions: {}, facts: {} };
  const slot = createCodeSlot(createLimiter(1));
  const limits = { timeoutMs: 60_000, memoryBytes: 2 ** 20 };
  const { value } = await takeCodeTurn(code, target, { ...call, ...limits }, stop.signal, slot);
  assert.deepEqual([value, stop.signal.aborted, ends], ['returned', true, 1]);
});
